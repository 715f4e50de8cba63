-- The hierarchies with nodes that are no contiguous range of the leaves in value order.
-- One row: such a hierarchy.
-- Reads: hierarchy_leaves.
-- Result: its place.
SELECT DISTINCT place
FROM (
    SELECT place
    FROM (
        SELECT place, by_value, unnest(range(1, len(path) + 1)) AS level, unnest(path) AS label
        FROM hierarchy_leaves
    ) AS labelled
    GROUP BY place, level, label
    HAVING max(by_value) - min(by_value) + 1 <> count(*)
) AS nodes
