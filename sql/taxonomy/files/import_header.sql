-- By what the first line of a hierarchy file is taken for a header, or not.
-- One row: the first line, held against the lines below it.
-- Reads: hierarchy_lines, the frequency set.
-- Binds: frequency (table), source_value (column)
-- Result: line, depth (its fields), depth_below (most frequent number of fields below), in_source (its first field is
--   a value of the source), roots_below (distinct last fields below), ends_in_root (its last field is a last field
--   below). No row for an empty file.
-- NULL: depth_below is NULL when there is no line below; a first field that is no value of the column's type is not
--   in the source.
WITH first AS (
    SELECT *
    FROM hierarchy_lines
    WHERE line = (SELECT min(line) FROM hierarchy_lines)
),
below AS (
    SELECT
        mode(len(fields)) AS depth,
        count(DISTINCT fields[len(fields)]) AS roots
    FROM hierarchy_lines
    WHERE line > (SELECT min(line) FROM hierarchy_lines)
)
SELECT
    first.line,
    len(first.fields) AS depth,
    below.depth AS depth_below,
    EXISTS (SELECT 1 FROM frequency WHERE frequency.source_value = first.value) AS in_source,
    below.roots AS roots_below,
    EXISTS (
        SELECT 1
        FROM hierarchy_lines AS other
        WHERE other.line > first.line
            AND other.fields[len(other.fields)] = first.fields[len(first.fields)]
    ) AS ends_in_root
FROM first
CROSS JOIN below
