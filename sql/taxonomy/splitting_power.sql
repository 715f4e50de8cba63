-- How large the numbers are that round bounds may still part.
-- One row: all of them.
-- Reads: splitting
-- Binds: nothing
-- Result: point: all of them lie between -10^point and 10^point; NULL where none is left.
-- NULL: not a leaf.
SELECT max(point) AS point
FROM splitting
