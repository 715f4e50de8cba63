-- The leaves of a shipped taxonomy, as those of a file that is imported (taxonomy/files/import_leaves.sql).
-- One row: a value with a path.
-- Reads: labelled (value, position, level_1 and so on)
-- Binds: levels (list), ranking (list)
-- Result: place, 0; value; path; by_value and by_line, its numbers by its value and by the columns of ranking.
-- NULL: has no path; the position of a value that no range has comes last.
SELECT
    0 AS place,
    value,
    [each(levels, level_{level})] AS path,
    row_number() OVER (ORDER BY value NULLS LAST) AS by_value,
    row_number() OVER (ORDER BY each(ranking, "{name}" NULLS LAST)) AS by_line
FROM labelled
