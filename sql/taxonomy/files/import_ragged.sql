-- The first line of a hierarchy file that has too few or too many fields, or an empty label.
-- One row: that line; none where there is no such line.
-- Reads: hierarchy_lines.
-- Binds: $place (value)
-- Result: line, found (its fields), expected (the fields of most lines); no row when every line is as long.
-- NULL: fields are never NULL; an empty leaf is a leaf, an empty label is none.
WITH depth AS (
    SELECT mode(len(fields)) AS expected
    FROM hierarchy_lines
    WHERE place = $place
)
SELECT
    line,
    len(fields) AS found,
    expected
FROM hierarchy_lines
CROSS JOIN depth
WHERE place = $place
    AND (len(fields) <> expected OR list_contains(list_slice(fields, 2, len(fields)), ''))
ORDER BY line
LIMIT 1
