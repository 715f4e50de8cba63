-- The codes of a column that is swapped, for the algorithm.
-- One row: a row of the set that is swapped, in the order of its number.
-- Reads: the column's codes
-- Binds: made (table)
-- Result: code; number.
-- NULL: is code 0 and has no number.
SELECT code, number
FROM made
ORDER BY "#row"
