-- One row: how many distinct sampled values of a column are dates of a format.
-- Reads: sampled_values
-- Binds: $format (value)
-- Result: read (BIGINT).
-- NULL: does not occur.
SELECT count(try_strptime(value, $format)) AS read
FROM sampled_values
