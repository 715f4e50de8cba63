-- How many levels an exported taxonomy of intervals has above its leaves.
-- One row: the whole file.
-- Reads: interval_lines.
-- Binds: nothing
-- Result: root.
-- NULL: root is NULL when there is no line.
SELECT max(size) - 2 AS root
FROM interval_lines
