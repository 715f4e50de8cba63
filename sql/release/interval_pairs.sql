-- The intervals that classes show in a column.
-- One row: a pair of finest intervals.
-- Reads: interval_ends
-- Result: first_code, last_code: the codes of the first and of the last finest interval; by both.
-- NULL: a class with NULL shows no interval.
SELECT DISTINCT first_code, last_code
FROM interval_ends
WHERE NOT missing AND least_code < largest_code
ORDER BY ALL
