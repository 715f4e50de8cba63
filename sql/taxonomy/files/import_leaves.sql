-- The leaves of a hierarchy file with their paths, to build the taxonomy from.
-- One row: a leaf, a value of the source column's type.
-- Reads: hierarchy_lines, in which a value has one path.
-- Binds: nothing
-- Result: value, path (one label per level), by_value and by_line (its position among the leaves, from 1, in the
--   order of values and in the order of the file).
-- NULL: none occurs.
CREATE OR REPLACE TEMP TABLE hierarchy_leaves AS
WITH leaves AS (
    SELECT
        value,
        min(line) AS line
    FROM hierarchy_lines
    GROUP BY value
),
numbered AS (
    SELECT
        value,
        line,
        row_number() OVER (ORDER BY value) AS by_value,
        row_number() OVER (ORDER BY line) AS by_line
    FROM leaves
)
SELECT
    numbered.value,
    list_slice(hierarchy_lines.fields, 2, len(hierarchy_lines.fields)) AS path,
    numbered.by_value,
    numbered.by_line
FROM numbered
INNER JOIN hierarchy_lines ON hierarchy_lines.line = numbered.line
