-- The first leaf or node of a level that a hierarchy file gives two parents.
-- One row: that leaf or node.
-- Reads: hierarchy_lines.
-- Binds: $level (value)
-- Result: first_line, second_line, label; no row when every leaf (level 0) or node of the level has one parent. A leaf
--   is a value: one that is written in two ways (2 and 2,0) is one leaf.
-- NULL: none occurs; lines without a value are not here any more.
WITH placed AS (
    SELECT
        line,
        fields[$level + 1] AS label,
        CASE WHEN $level = 0 THEN CAST(value AS VARCHAR) ELSE fields[$level + 1] END AS node,
        fields[$level + 2] AS parent
    FROM hierarchy_lines
),
first AS (
    SELECT
        node,
        min(line) AS line,
        arg_min(parent, line) AS parent
    FROM placed
    GROUP BY node
)
SELECT
    first.line AS first_line,
    other.line AS second_line,
    other.label
FROM placed AS other
INNER JOIN first ON first.node = other.node
WHERE other.parent <> first.parent
ORDER BY other.line
LIMIT 1
