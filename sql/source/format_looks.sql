-- How many texts of a column are dates of a format, and how many of these lie after a year.
-- One row: all records of the column.
-- Reads: a frequency set of the column, with a column "#records"
-- Binds: held_value (column), counted (table), $markers (value), $format (value), $year (value)
-- Result: records (BIGINT) and later (BIGINT), without those whose value is a marker of no value.
-- NULL: left out.
SELECT
    coalesce(sum("#records") FILTER (WHERE stamp IS NOT NULL), 0)::BIGINT AS records,
    coalesce(sum("#records") FILTER (WHERE year(stamp) > $year), 0)::BIGINT AS later
FROM (
    SELECT "#records", try_strptime(CAST(held_value AS VARCHAR), $format) AS stamp
    FROM counted
    WHERE NOT list_contains($markers::VARCHAR[], lower(trim(CAST(held_value AS VARCHAR))))
) AS read
