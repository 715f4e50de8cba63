-- The first line of a hierarchy file that ends in another root than its first line.
-- One row: that line; none where there is no such line.
-- Reads: hierarchy_lines.
-- Binds: $place (value)
-- Result: first_line, second_line, label (the second root); no row when there is one root.
-- NULL: labels are never NULL.
WITH first AS (
    SELECT
        min(line) AS line,
        arg_min(fields[len(fields)], line) AS label
    FROM hierarchy_lines
    WHERE place = $place
)
SELECT
    first.line AS first_line,
    other.line AS second_line,
    other.fields[len(other.fields)] AS label
FROM hierarchy_lines AS other
CROSS JOIN first
WHERE other.place = $place AND other.fields[len(other.fields)] <> first.label
ORDER BY other.line
LIMIT 1
