-- t-closeness with hierarchical distance: what must be carried over each node of the taxonomy, times the node's height.
-- One row: an equivalence class.
-- Reads: cells, paths
-- Binds: cells (table), paths (table)
-- Result: class; reached. A node gives away what its children have in excess, or takes in what they lack, whichever is
--   less; the children that a class lacks follow from the shares of the node itself, so they cost no rows.
--   Nor are the cells grouped by value, of which each is one already.
-- NULL: a sensitive NULL is a leaf of its own under the root; as paths has it.
WITH sizes AS (
    SELECT class, sum(weight) AS weight
    FROM cells
    GROUP BY class
), overall AS (
    SELECT paths.level, paths.node, paths.parent, sum(cells.weight) / (SELECT sum(weight) FROM cells) AS share
    FROM cells
    JOIN paths ON cells.value::VARCHAR IS NOT DISTINCT FROM paths.value
    GROUP BY paths.level, paths.node, paths.parent
), overall_parents AS (
    SELECT level, parent, sum(share) AS share
    FROM overall
    GROUP BY level, parent
), held AS (
    SELECT cells.class, paths.level, paths.node, paths.parent, cells.weight / sizes.weight AS share
    FROM cells
    JOIN sizes ON cells.class = sizes.class
    JOIN paths ON cells.value::VARCHAR IS NOT DISTINCT FROM paths.value
    WHERE paths.level = 0
    UNION ALL
    SELECT cells.class, paths.level, paths.node, paths.parent, sum(cells.weight / sizes.weight) AS share
    FROM cells
    JOIN sizes ON cells.class = sizes.class
    JOIN paths ON cells.value::VARCHAR IS NOT DISTINCT FROM paths.value
    WHERE paths.level > 0
    GROUP BY cells.class, paths.level, paths.node, paths.parent
), held_parents AS (
    SELECT held.class, held.level, held.parent, sum(held.share) AS share, sum(greatest(held.share - overall.share, 0)) AS excess
    FROM held
    JOIN overall ON held.level = overall.level AND held.node = overall.node
    GROUP BY held.class, held.level, held.parent
)
SELECT
    held_parents.class,
    sum(
        (held_parents.level + 1) / (SELECT max(level) + 1 FROM paths)
        * least(held_parents.excess, held_parents.excess - held_parents.share + overall_parents.share)
    ) AS reached
FROM held_parents
JOIN overall_parents ON held_parents.level = overall_parents.level AND held_parents.parent = overall_parents.parent
GROUP BY held_parents.class
