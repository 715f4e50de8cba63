-- The leaves of hierarchy files with their paths, to build the taxonomies from.
-- One row: a leaf, a value of the source column's type.
-- Reads: hierarchy_lines, in which a value has one path in its file.
-- Result: place (the file's), value, path (one label per level), by_value and by_line (its position among the leaves of
--   its file, from 1, in the order of values and in the order of the file).
CREATE OR REPLACE TEMP TABLE hierarchy_leaves AS
WITH leaves AS (
    SELECT
        place,
        value,
        min(line) AS line
    FROM hierarchy_lines
    GROUP BY place, value
),
numbered AS (
    SELECT
        place,
        value,
        line,
        row_number() OVER (PARTITION BY place ORDER BY value) AS by_value,
        row_number() OVER (PARTITION BY place ORDER BY line) AS by_line
    FROM leaves
)
SELECT
    numbered.place,
    numbered.value,
    list_slice(hierarchy_lines.fields, 2, len(hierarchy_lines.fields)) AS path,
    numbered.by_value,
    numbered.by_line
FROM numbered
INNER JOIN hierarchy_lines ON hierarchy_lines.place = numbered.place AND hierarchy_lines.line = numbered.line
