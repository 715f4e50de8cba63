-- How the texts of a column are written, to learn whether they are numbers or dates but for some markers of no value.
-- One row: all records of the column.
-- Reads: a frequency set of the column, with a column "#records"
-- Binds: held_value (column), counted (table), $markers (value), $plain (value), $dated (value)
-- Result: filled (records with a value); markers (the markers among the values, the most frequent first) and
--   marker_records (a list); plain and dated (records of plain numbers and of dates); commas and points (records with
--   one); shortest and longest, in characters, of the texts that are no marker.
-- NULL: left out.
WITH held AS (
    SELECT
        CAST(held_value AS VARCHAR) AS value,
        "#records" AS records,
        list_contains($markers::VARCHAR[], lower(trim(CAST(held_value AS VARCHAR)))) AS is_marker
    FROM counted
    WHERE held_value IS NOT NULL
)
SELECT
    coalesce(sum(records), 0)::BIGINT AS filled,
    coalesce(list(value ORDER BY records DESC, value) FILTER (WHERE is_marker), []) AS markers,
    coalesce(list(records::BIGINT ORDER BY records DESC, value) FILTER (WHERE is_marker), []) AS marker_records,
    coalesce(sum(records) FILTER (WHERE NOT is_marker AND regexp_full_match(value, $plain)), 0)::BIGINT AS plain,
    coalesce(sum(records) FILTER (WHERE NOT is_marker AND regexp_full_match(value, $dated)), 0)::BIGINT AS dated,
    coalesce(sum(records) FILTER (WHERE NOT is_marker AND contains(value, ',')), 0)::BIGINT AS commas,
    coalesce(sum(records) FILTER (WHERE NOT is_marker AND contains(value, '.')), 0)::BIGINT AS points,
    min(length(value)) FILTER (WHERE NOT is_marker) AS shortest,
    max(length(value)) FILTER (WHERE NOT is_marker) AS longest
FROM held
