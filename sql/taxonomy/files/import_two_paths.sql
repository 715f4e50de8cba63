-- The first leaf that a hierarchy file gives two parents.
-- One row: that leaf.
-- Reads: hierarchy_lines.
-- Binds: nothing
-- Result: first_line, second_line, label (the leaf's text); no row when every value has one parent. A value that is
--   written twice (2 and 2,0) is one leaf.
-- NULL: lines without a value are not here any more.
WITH first AS (
    SELECT
        value,
        min(line) AS line,
        arg_min(fields[2], line) AS parent
    FROM hierarchy_lines
    GROUP BY value
)
SELECT
    first.line AS first_line,
    other.line AS second_line,
    other.fields[1] AS label
FROM hierarchy_lines AS other
INNER JOIN first ON first.value IS NOT DISTINCT FROM other.value
WHERE other.fields[2] <> first.parent
ORDER BY other.line
LIMIT 1
