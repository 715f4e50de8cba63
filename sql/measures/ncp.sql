-- What one attribute loses at one level by the normalized certainty penalty (Xu et al. 2006).
-- One row: the attribute.
-- Reads: cells (a coded frequency set), taxonomy_nodes
-- Binds: leaf (column), node (column), cells (table), $column_name (value), $level (value), $ordered (value)
-- Result: cost: the sum over records of the share of the range that the node spans, for ordered numbers; else the
--   share of the leaves that it covers, 0 if that is a single leaf.
--   It is summed with what rounding leaves, so that it is the same whatever the order of the cells.
-- NULL: stays NULL and costs nothing. A value that the taxonomy does not know shows the root label and costs 1.
SELECT coalesce(fsum(
    cells."#records" * CASE
        WHEN leaf = 0 THEN 0
        WHEN node = 0 THEN 1
        WHEN $ordered AND covering.range_share IS NOT NULL THEN covering.range_share
        WHEN covering.leaves > 1 THEN covering.leaf_share
        ELSE 0
    END
), 0)::DOUBLE AS cost
FROM cells
LEFT JOIN taxonomy_nodes AS covering
    ON covering.column_name = $column_name AND covering.level = $level AND covering.code = node
