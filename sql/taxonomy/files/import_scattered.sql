-- How many nodes are no contiguous range of the leaves in value order.
-- One row: the hierarchy.
-- Reads: hierarchy_leaves.
-- Binds: $root (value)
-- Result: scattered, of all levels above the leaves.
-- NULL: none occurs.
SELECT count(*) AS scattered
FROM (
    SELECT levels.level
    FROM hierarchy_leaves
    CROSS JOIN range(1, $root + 1) AS levels(level)
    GROUP BY levels.level, path[levels.level]
    HAVING max(by_value) - min(by_value) + 1 <> count(*)
) AS nodes
