-- The first node of a level that a hierarchy file gives two parents.
-- One row: that node.
-- Reads: hierarchy_lines.
-- Binds: $level (value)
-- Result: first_line, second_line, label; no row when every node of the level has one parent.
-- NULL: labels are never NULL.
WITH first AS (
    SELECT
        fields[$level + 1] AS label,
        min(line) AS line,
        arg_min(fields[$level + 2], line) AS parent
    FROM hierarchy_lines
    GROUP BY fields[$level + 1]
)
SELECT
    first.line AS first_line,
    other.line AS second_line,
    first.label
FROM hierarchy_lines AS other
INNER JOIN first ON first.label = other.fields[$level + 1]
WHERE other.fields[$level + 2] <> first.parent
ORDER BY other.line
LIMIT 1
