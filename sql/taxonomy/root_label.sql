-- The label of a taxonomy's root.
-- One row: that label, or NULL for a column without any value.
-- Reads: the column's taxonomy
-- Binds: root (column), taxonomy (table)
-- NULL: is the label of an empty taxonomy.
SELECT min(root) AS label
FROM taxonomy
