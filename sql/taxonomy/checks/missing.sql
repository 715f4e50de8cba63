-- The values of the source that a taxonomy has no leaf for.
-- One row: such a value, the most frequent first.
-- Reads: the frequency set, the taxonomy of one column.
-- Binds: frequency (table), taxonomy (table), source_value (column)
-- Result: offender, records; no rows when the taxonomy knows every value.
-- NULL: never looked up, it is its own value.
SELECT
    CAST(f.source_value AS VARCHAR) AS offender,
    CAST(sum(f."#records") AS BIGINT) AS records
FROM frequency AS f
ANTI JOIN taxonomy AS t ON t.value = f.source_value
WHERE f.source_value IS NOT NULL
GROUP BY f.source_value
ORDER BY records DESC, f.source_value
