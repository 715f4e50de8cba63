-- Notes the counts of a taxonomy whose table was edited; the digest stays that of the table as it was built.
-- One row: the column.
-- Reads: taxonomies
-- Binds: $column_name (value), $root (value), $leaves (value), $nodes (value)
-- NULL: no value is NULL.
UPDATE taxonomies
SET root = $root, leaves = $leaves, nodes = $nodes
WHERE column_name = $column_name
