-- The nodes of a level that stand under several nodes of the level above: levels must nest.
-- One row: such a node, by its code.
-- Reads: the frequency set, the taxonomy of one column.
-- Binds: frequency (table), taxonomy (table), source_value (column), label (column), code (column),
--   parent_code (column)
-- Result: offender (the node's label), records; no rows when the two levels nest.
-- NULL: a NULL code is a parent of its own.
WITH torn AS (
    SELECT code
    FROM taxonomy
    GROUP BY code
    HAVING count(DISTINCT coalesce(parent_code, -1)) > 1
),
held AS (
    SELECT
        source_value AS value,
        sum("#records") AS records
    FROM frequency
    GROUP BY source_value
)
SELECT
    CAST(min(t.label) AS VARCHAR) AS offender,
    CAST(coalesce(sum(held.records), 0) AS BIGINT) AS records
FROM torn
INNER JOIN (SELECT DISTINCT value, label, code FROM taxonomy) AS t ON t.code IS NOT DISTINCT FROM torn.code
LEFT JOIN held ON held.value = t.value
GROUP BY torn.code
ORDER BY torn.code
