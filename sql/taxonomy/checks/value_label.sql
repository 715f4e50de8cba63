-- The labels that a reader would take for a value which their node does not contain.
-- One row: a label that reads like a leaf outside its node.
-- Reads: the frequency set, the taxonomy of one column.
-- Binds: frequency (table), taxonomy (table), source_value (column), label (column)
-- Result: offender (the label), records (those of the node); no rows when there is no such label.
-- NULL: NULL labels are another check's.
WITH held AS (
    SELECT
        source_value AS value,
        sum("#records") AS records
    FROM frequency
    GROUP BY source_value
)
SELECT
    t.label AS offender,
    CAST(coalesce(sum(held.records), 0) AS BIGINT) AS records
FROM (SELECT DISTINCT value, label FROM taxonomy) AS t
LEFT JOIN held ON held.value = t.value
WHERE t.label IN (SELECT CAST(value AS VARCHAR) FROM taxonomy)
GROUP BY t.label
HAVING NOT bool_or(CAST(t.value AS VARCHAR) = t.label)
ORDER BY t.label
