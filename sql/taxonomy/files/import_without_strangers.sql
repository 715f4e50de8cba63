-- Effect: takes the lines whose leaf is no value of the column's type out of hierarchy_lines.
-- Reads: hierarchy_lines.
-- NULL: value is NULL in just those lines.
DELETE FROM hierarchy_lines
WHERE value IS NULL
