-- The distinct sampled values of a column, read as dates by a format.
-- One row: a value that is a date of the format, from the year 1000 on (a year of two digits is none of those).
-- Reads: sampled_values
-- Binds: $format (value)
-- Result: temporary table sampled_dates: stamp (TIMESTAMP).
-- NULL: left out.
CREATE OR REPLACE TEMP TABLE sampled_dates AS
SELECT stamp
FROM (SELECT TRY_CAST(try_strptime(value, $format) AS TIMESTAMP) AS stamp FROM sampled_values) AS stamps
WHERE isfinite(stamp) AND year(stamp) >= 1000
