-- How many distinct sampled values of a column are dates of a format, to learn whether all are.
-- One row: all distinct sampled values.
-- Reads: sampled_values
-- Binds: $format (value)
-- Result: read (BIGINT).
SELECT count(try_strptime(value, $format)) AS read
FROM sampled_values
