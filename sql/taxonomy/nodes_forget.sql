-- Forgets how wide the nodes of some columns are.
-- One row: a node of one of the columns.
-- Reads: taxonomy_nodes
-- Binds: $column_names (value)
DELETE FROM taxonomy_nodes
WHERE list_contains($column_names::VARCHAR[], column_name)
