-- Effect: takes one line, the header, out of hierarchy_lines.
-- Reads: hierarchy_lines.
-- Binds: $place (value), $line (value)
-- NULL: a line number is never NULL.
DELETE FROM hierarchy_lines
WHERE place = $place AND line = $line
