-- The nodes of one level of a taxonomy as they are shown, with their numbers of leaves and records.
-- One row: a node.
-- Reads: shown.
-- Binds: label (column), code (column), parent_code (column)
-- Result: node, parent (codes), name, leaves, records; in the order of the codes. Values without a path are in no node.
-- NULL: NULL records are in no node; a leaf whose code is NULL (after a hand edit) is left out.
SELECT
    shown.code AS node,
    min(shown.parent_code) AS parent,
    coalesce(CAST(min(shown.label) AS VARCHAR), '') AS name,
    CAST(sum(leaf) AS BIGINT) AS leaves,
    CAST(sum(records) AS BIGINT) AS records
FROM shown
WHERE shown.code IS NOT NULL
GROUP BY shown.code
ORDER BY shown.code
