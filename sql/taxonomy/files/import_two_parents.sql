-- The first leaf or node that a hierarchy file gives two parents, on the lowest level that has one.
-- One row: that leaf or node.
-- Reads: hierarchy_lines.
-- Binds: $root (value)
-- Result: level, first_line, second_line, label; no row when every leaf (level 0) and node under the root has one
--   parent. A leaf is a value: one that is written in two ways (2 and 2,0) is one leaf.
-- NULL: none occurs; lines without a value are not here any more.
WITH placed AS (
    SELECT
        levels.level,
        line,
        fields[levels.level + 1] AS label,
        CASE WHEN levels.level = 0 THEN CAST(value AS VARCHAR) ELSE fields[levels.level + 1] END AS node,
        fields[levels.level + 2] AS parent
    FROM hierarchy_lines
    CROSS JOIN range($root) AS levels(level)
),
first AS (
    SELECT
        level,
        node,
        min(line) AS line,
        arg_min(parent, line) AS parent
    FROM placed
    GROUP BY level, node
)
SELECT
    other.level,
    first.line AS first_line,
    other.line AS second_line,
    other.label
FROM placed AS other
INNER JOIN first ON first.level = other.level AND first.node = other.node
WHERE other.parent <> first.parent
ORDER BY other.level, other.line
LIMIT 1
