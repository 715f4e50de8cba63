-- The first leaf or node that hierarchy files give two parents, on the lowest level of the first file that has one.
-- One row: that leaf or node; none where there is no such one.
-- Reads: hierarchy_lines.
-- Binds: $roots (value)
-- Result: place, level, first_line, second_line, label; no row when every leaf (level 0) and node under the root has one
--   parent. A leaf is a value: one that is written in two ways (2 and 2,0) is one leaf. $roots are the files' root
--   levels.
-- NULL: none occurs; lines without a value are not here any more.
WITH steps AS (
    SELECT
        place,
        line,
        fields,
        value,
        unnest(range(list_extract($roots::BIGINT[], place + 1))) AS level
    FROM hierarchy_lines
),
placed AS (
    SELECT
        place,
        level,
        line,
        fields[level + 1] AS label,
        CASE WHEN level = 0 THEN CAST(value AS VARCHAR) ELSE fields[level + 1] END AS node,
        fields[level + 2] AS parent
    FROM steps
),
first AS (
    SELECT
        place,
        level,
        node,
        min(line) AS line,
        arg_min(parent, line) AS parent
    FROM placed
    GROUP BY place, level, node
)
SELECT
    other.place,
    other.level,
    first.line AS first_line,
    other.line AS second_line,
    other.label
FROM placed AS other
INNER JOIN first ON first.place = other.place AND first.level = other.level AND first.node = other.node
WHERE other.parent <> first.parent
ORDER BY other.place, other.level, other.line
LIMIT 1
