-- What one attribute loses at one level by the loss metric LM (Iyengar 2002; Last et al. 2014, equation 2).
-- One row: the attribute.
-- Reads: cells (a coded frequency set), taxonomy_nodes
-- Binds: leaf (column), node (column), cells (table), $column_name (value), $level (value)
-- Result: cost: the sum over records of (leaves covered - 1) / (leaves - 1), 0 where the taxonomy has a single leaf.
--   It is summed with what rounding leaves, so that it is the same whatever the order of the cells.
-- NULL: stays NULL and costs nothing. A value that the taxonomy does not know shows the root label and costs 1.
WITH whole AS (
    SELECT max(leaves) AS leaves
    FROM taxonomy_nodes
    WHERE column_name = $column_name
)
SELECT coalesce(fsum(
    cells."#records" * CASE
        WHEN leaf = 0 THEN 0
        WHEN node = 0 THEN 1
        ELSE coalesce((covering.leaves - 1) / nullif(whole.leaves - 1, 0), 0)
    END
), 0)::DOUBLE AS cost
FROM cells
CROSS JOIN whole
LEFT JOIN taxonomy_nodes AS covering
    ON covering.column_name = $column_name AND covering.level = $level AND covering.code = node
