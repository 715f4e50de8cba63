-- Effect: takes one line, the header, out of hierarchy_lines.
-- Reads: hierarchy_lines.
-- Binds: $line (value)
-- NULL: a line number is never NULL.
DELETE FROM hierarchy_lines
WHERE line = $line
