-- The labels that name several nodes of a level, so that a release shows them as one.
-- One row: such a label.
-- Reads: the frequency set, the taxonomy of one column.
-- Binds: frequency (table), taxonomy (table), source_value (column), label (column), code (column)
-- Result: offender (the label), records; no rows when every node has a label of its own.
-- NULL: NULL labels are another check's.
WITH held AS (
    SELECT
        source_value AS value,
        sum("#records") AS records
    FROM frequency
    GROUP BY source_value
)
SELECT
    CAST(t.label AS VARCHAR) AS offender,
    CAST(coalesce(sum(held.records), 0) AS BIGINT) AS records
FROM (SELECT DISTINCT value, label, code FROM taxonomy) AS t
LEFT JOIN held ON held.value = t.value
WHERE t.label IS NOT NULL
GROUP BY t.label
HAVING count(DISTINCT t.code) > 1
ORDER BY t.label
