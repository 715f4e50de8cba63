-- The values that a taxonomy lists more than once, with one path or several.
-- One row: such a value.
-- Reads: the frequency set, the taxonomy of one column.
-- Binds: frequency (table), taxonomy (table), source_value (column)
-- Result: offender, records; no rows when every value has one row.
-- NULL: a row whose value is NULL is an offender.
WITH listed AS (
    SELECT value
    FROM taxonomy
    GROUP BY value
    HAVING count(*) > 1
        OR value IS NULL
)
SELECT
    CAST(listed.value AS VARCHAR) AS offender,
    CAST(coalesce(sum(f."#records"), 0) AS BIGINT) AS records
FROM listed
LEFT JOIN frequency AS f ON f.source_value = listed.value
GROUP BY listed.value
ORDER BY listed.value
