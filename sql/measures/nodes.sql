-- How much of a column each of its nodes stands for, for several columns.
-- One row: a node above the leaves.
-- Reads: taxonomy_nodes
-- Binds: $column_names (value)
-- Result: leaf_share and range_share are NaN where the taxonomy has none.
-- NULL: has no row.
SELECT
    column_name,
    level,
    code,
    leaves,
    coalesce(leaf_share, 'NaN'::DOUBLE) AS leaf_share,
    coalesce(range_share, 'NaN'::DOUBLE) AS range_share
FROM taxonomy_nodes
WHERE column_name IN (SELECT unnest($column_names))
