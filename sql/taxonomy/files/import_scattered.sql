-- How many nodes of a level are no contiguous range of the leaves in value order.
-- One row: the level.
-- Reads: hierarchy_leaves.
-- Binds: $level (value)
-- Result: scattered.
-- NULL: none occurs.
SELECT count(*) AS scattered
FROM (
    SELECT path[$level] AS label
    FROM hierarchy_leaves
    GROUP BY path[$level]
    HAVING max(by_value) - min(by_value) + 1 <> count(*)
) AS nodes
