-- How many texts of a column are no dates of a format, to read none of them as NULL.
-- One row: the whole source.
-- Reads: source, in one scan
-- Binds: written (column), $format (value)
-- Result: unread (BIGINT), filled (BIGINT).
-- NULL: counts as neither.
SELECT
    count(*) FILTER (WHERE written IS NOT NULL AND try_strptime(written, $format) IS NULL) AS unread,
    count(written) AS filled
FROM source
