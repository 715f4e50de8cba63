-- How large the hierarchies are that were read, and how many of their leaves are no values of the column's type.
-- One row: a hierarchy that has lines.
-- Reads: hierarchy_lines.
-- Result: place, lines, depth (fields of the longest line), uneven (whether a line is shorter or has an empty label),
--   roots (distinct last labels), strangers (lines whose leaf is no value of the column's type), first_stranger (line
--   number of the first of them).
-- NULL: first_stranger is NULL when there is no such line.
SELECT
    place,
    count(*) AS lines,
    max(len(fields)) AS depth,
    min(len(fields)) < max(len(fields)) OR bool_or(list_contains(list_slice(fields, 2, len(fields)), '')) AS uneven,
    count(DISTINCT fields[len(fields)]) AS roots,
    count(*) FILTER (WHERE value IS NULL) AS strangers,
    min(line) FILTER (WHERE value IS NULL) AS first_stranger
FROM hierarchy_lines
GROUP BY place
