-- The lines of an exported taxonomy of intervals in the order of values, to build the taxonomy from.
-- One row: a line.
-- Reads: interval_lines.
-- Result: temporary table hierarchy_leaves: place (0), value, path, lower, by_value and by_line (the same position, from 1).
-- NULL: value where the interval has no leaf, lower where it is open below: it comes first.
CREATE OR REPLACE TEMP TABLE hierarchy_leaves AS
SELECT
    place,
    value,
    path,
    lower,
    row_number() OVER (ORDER BY lower NULLS FIRST, value NULLS FIRST) AS by_value,
    by_value AS by_line
FROM interval_lines
