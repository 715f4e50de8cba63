-- The leaves that lack a label or a code at a level.
-- One row: such a leaf.
-- Reads: the frequency set, the taxonomy of one column.
-- Binds: frequency (table), taxonomy (table), source_value (column), label (column), code (column)
-- Result: offender (the leaf), records; no rows when every leaf has both.
-- NULL: what is looked for; a code of 0 is NULL's and is looked for too.
SELECT
    CAST(t.value AS VARCHAR) AS offender,
    CAST(coalesce(sum(f."#records"), 0) AS BIGINT) AS records
FROM (SELECT DISTINCT value, label, code FROM taxonomy) AS t
LEFT JOIN frequency AS f ON f.source_value = t.value
WHERE t.label IS NULL
    OR t.code IS NULL
    OR t.code = 0
GROUP BY t.value
ORDER BY t.value
