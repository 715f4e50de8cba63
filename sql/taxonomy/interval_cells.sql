-- The finest intervals of a taxonomy, in their order.
-- One row: an interval of level 1, also one without leaves.
-- Reads: bounds."<column>", taxonomy_nodes
-- Binds: bounds (table), $column_name (value)
-- Result: code, label, leaves; leaf_share and range_share are NaN where the taxonomy has none.
-- NULL: in no interval.
SELECT
    cells.code_1 AS code,
    any_value(cells.level_1) AS label,
    coalesce(any_value(nodes.leaves), 0)::BIGINT AS leaves,
    coalesce(any_value(nodes.leaf_share), 0)::DOUBLE AS leaf_share,
    coalesce(any_value(nodes.range_share), if(count(nodes.code) = 0, 0, 'NaN'::DOUBLE)) AS range_share
FROM bounds AS cells
LEFT JOIN taxonomy_nodes AS nodes
    ON nodes.column_name = $column_name AND nodes.level = 1 AND nodes.code = cells.code_1
GROUP BY cells.code_1
ORDER BY cells.code_1
