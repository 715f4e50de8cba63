-- The frequency set of the records that the search sees, before folds are drawn.
-- One row: a distinct combination of node codes and class.
-- Reads: held_out_split
-- Binds: codes (columns)
-- NULL: is code 0.
CREATE OR REPLACE TABLE coded_unfolded AS
SELECT codes, "#class", sum("#records" - held)::BIGINT AS "#records"
FROM held_out_split
GROUP BY codes, "#class"
HAVING sum("#records" - held) > 0
