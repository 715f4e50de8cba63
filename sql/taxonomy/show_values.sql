-- The values that the nodes of a taxonomy are counted from when it is shown.
-- One row: a leaf of a taxonomy, or a value of the source that is none and has a path all the same.
-- Reads: the taxonomy of one column, its lookup.
-- Binds: taxonomy (table), lookup (table), paths (columns)
-- Result: temporary table shown: value, records, leaf (1 or 0), the path, code_0 (NULL for what is no leaf).
-- NULL: is in no taxonomy.
CREATE OR REPLACE TEMP TABLE shown AS
SELECT t.value, coalesce(l.records, 0)::BIGINT AS records, 1 AS leaf, t.code_0, t.paths
FROM taxonomy AS t
LEFT JOIN lookup AS l ON l.value = t.value
UNION ALL
SELECT l.value, l.records, 0 AS leaf, NULL AS code_0, l.paths
FROM lookup AS l
ANTI JOIN taxonomy AS t ON t.value = l.value
WHERE l.code_1 IS NOT NULL
