-- By what the first line of each hierarchy file is taken for a header, or not.
-- One row: the first line of a file, held against the lines below it; none without a file.
-- Reads: hierarchy_lines.
-- Result: place, line, depth (its fields), depth_below (most frequent number of fields below), roots_below (distinct
--   last fields below), ends_in_root (its last field is a last field below). No row for an empty file.
-- NULL: depth_below is NULL when there is no line below.
WITH heads AS (
    SELECT place, min(line) AS line
    FROM hierarchy_lines
    GROUP BY place
),
below AS (
    SELECT
        heads.place,
        mode(len(hierarchy_lines.fields)) AS depth,
        count(DISTINCT hierarchy_lines.fields[len(hierarchy_lines.fields)]) AS roots
    FROM heads
    INNER JOIN hierarchy_lines ON hierarchy_lines.place = heads.place AND hierarchy_lines.line > heads.line
    GROUP BY heads.place
)
SELECT
    heads.place,
    heads.line,
    len(first.fields) AS depth,
    below.depth AS depth_below,
    coalesce(below.roots, 0) AS roots_below,
    EXISTS (
        SELECT 1
        FROM hierarchy_lines AS other
        WHERE other.place = first.place
            AND other.line > first.line
            AND other.fields[len(other.fields)] = first.fields[len(first.fields)]
    ) AS ends_in_root
FROM heads
INNER JOIN hierarchy_lines AS first ON first.place = heads.place AND first.line = heads.line
LEFT JOIN below ON below.place = heads.place
ORDER BY heads.place
