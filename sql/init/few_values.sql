-- The distinct sampled values of a column of text that has few.
-- One row: a value.
-- Reads: sampled_values
-- Result: value.
-- NULL: is not among them.
SELECT value
FROM sampled_values
ORDER BY value
