-- How many values and records of a column its taxonomy does not hold.
-- One row: the column.
-- Reads: the frequency set, the lookup of one column.
-- Binds: frequency (table), lookup (table), source_value (column)
-- Result: null_records, unknown_values and unknown_records (values without a path).
-- NULL: counted apart, never looked up.
SELECT
    CAST(coalesce(sum("#records") FILTER (WHERE f.source_value IS NULL), 0) AS BIGINT) AS null_records,
    count(DISTINCT f.source_value) FILTER (WHERE l.code_1 IS NULL) AS unknown_values,
    CAST(
        coalesce(sum("#records") FILTER (WHERE f.source_value IS NOT NULL AND l.code_1 IS NULL), 0) AS BIGINT
    ) AS unknown_records
FROM frequency AS f
LEFT JOIN lookup AS l ON l.value = f.source_value
