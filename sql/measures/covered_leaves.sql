-- Over how many leaves the nodes of one attribute spread their records, for the KL divergence.
-- One row: the attribute.
-- Reads: cells (a coded frequency set), taxonomy_nodes
-- Binds: leaf (column), node (column), cells (table), $column_name (value), $level (value)
-- Result: cost in bits: the sum over records of log2(leaves covered).
-- NULL: stays NULL, a single value. A value that the taxonomy does not know is spread over all leaves.
WITH whole AS (
    SELECT max(leaves) AS leaves
    FROM taxonomy_nodes
    WHERE column_name = $column_name
)
SELECT coalesce(sum(
    cells."#records" * CASE
        WHEN leaf = 0 THEN 0
        WHEN node = 0 THEN log2(greatest(whole.leaves, 1))
        ELSE log2(greatest(coalesce(covering.leaves, 1), 1))
    END
), 0)::DOUBLE AS cost
FROM cells
CROSS JOIN whole
LEFT JOIN taxonomy_nodes AS covering
    ON covering.column_name = $column_name AND covering.level = $level AND covering.code = node
