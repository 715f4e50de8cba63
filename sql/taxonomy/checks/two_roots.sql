-- The roots of a taxonomy that has more than one.
-- One row: such a root, by label and code.
-- Reads: the frequency set, the taxonomy of one column.
-- Binds: frequency (table), taxonomy (table), source_value (column), label (column), code (column)
-- Result: offender (the root's label), records; no rows when there is one root.
-- NULL: a NULL label is a root of its own.
WITH roots AS (
    SELECT DISTINCT
        label,
        code
    FROM taxonomy
),
held AS (
    SELECT
        source_value AS value,
        sum("#records") AS records
    FROM frequency
    GROUP BY source_value
)
SELECT
    t.label AS offender,
    CAST(coalesce(sum(held.records), 0) AS BIGINT) AS records
FROM (SELECT DISTINCT value, label, code FROM taxonomy) AS t
LEFT JOIN held ON held.value = t.value
WHERE (SELECT count(*) FROM roots) > 1
GROUP BY
    t.label,
    t.code
ORDER BY
    t.code,
    t.label
