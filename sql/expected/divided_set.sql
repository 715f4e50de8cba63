-- The set with the records of each row that are held out of the search, and those of them that models are tested on.
-- One row: a row of numbered_set.
-- Reads: numbered_set, held_counts
-- Binds: nothing
-- NULL: is code 0 among leaves.
CREATE OR REPLACE TABLE divided_set AS
SELECT numbered_set.*, held_counts.held, held_counts.tested
FROM numbered_set
JOIN held_counts USING ("#row")
