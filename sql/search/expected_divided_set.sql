-- The set with the records of each row that are held out of the search, and those of them that models are tested on.
-- One row: a row of held_out_rows.
-- Reads: held_out_rows, held_counts
-- Binds: nothing
-- NULL: is code 0 among leaves.
CREATE OR REPLACE TABLE held_out_split AS
SELECT held_out_rows.*, held_counts.held, held_counts.tested
FROM held_out_rows
JOIN held_counts USING ("#row")
