-- Forgets how wide the nodes of one column are.
-- One row: a node of the column.
-- Reads: taxonomy_nodes
-- Binds: $column_name (value)
-- NULL: does not matter.
DELETE FROM taxonomy_nodes
WHERE column_name = $column_name
