-- The classes of the released rows by the known columns.
-- One row: a class.
-- Reads: released_rows, extents
-- Binds: known (list)
-- Result: temporary table known_classes: place, a number from 0; per attribute l_1, the number of its label; width, the sum
--   over columns of the logarithm of how many values the label covers.
CREATE OR REPLACE TEMPORARY TABLE known_classes AS
SELECT
    row_number() OVER (ORDER BY each(known, c.l_{number})) - 1 AS place,
    each(known, c.l_{number}),
    round(sum_of(known, ln(e{number}.covered)), 9) AS width
FROM (SELECT DISTINCT each(known, l_{number}) FROM released_rows) AS c
joins(known, JOIN extents AS e{number} ON e{number}.attribute = {number} AND e{number}.label = c.l_{number})
