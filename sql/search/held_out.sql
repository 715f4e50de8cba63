-- The frequency set of the records that models are tested on and the search never saw; all of them are in one fold.
-- One row: a distinct combination of node codes and class.
-- Reads: held_out_split
-- Binds: codes (columns)
-- NULL: is code 0.
CREATE OR REPLACE TABLE held_set AS
SELECT
    codes,
    "#class",
    sum(tested)::BIGINT AS "#records",
    sum(tested)::BIGINT AS "#fold_0",
    0::BIGINT AS "#fold_1",
    0::BIGINT AS "#fold_2",
    0::BIGINT AS "#fold_3",
    0::BIGINT AS "#fold_4",
    0::BIGINT AS "#fold_5",
    0::BIGINT AS "#fold_6",
    0::BIGINT AS "#fold_7",
    0::BIGINT AS "#fold_8",
    0::BIGINT AS "#fold_9"
FROM held_out_split
GROUP BY codes, "#class"
HAVING sum(tested) > 0
