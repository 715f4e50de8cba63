-- Registers a finished taxonomy, in the place of an earlier one of the same column.
-- One row: the column.
-- Reads: nothing
-- Binds: $column_name (value), $kind (value), $ordered (value), $root (value), $leaves (value), $nodes (value),
--   $origin (value), $options (value), $digest (value)
-- NULL: no value is NULL.
INSERT OR REPLACE INTO taxonomies
VALUES ($column_name, $kind, $ordered, $root, $leaves, $nodes, $origin, $options, $digest)
