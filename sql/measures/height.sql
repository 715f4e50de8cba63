-- How far up its taxonomy one attribute was generalized (Sweeney 2002, precision; Majeed and Hwang 2023, eq. 18).
-- One row: the attribute.
-- Reads: cells (a coded frequency set)
-- Binds: leaf (column), node (column), cells (table), $level (value), $root (value)
-- Result: cost: the sum over records of level / root level.
--   It is summed with what rounding leaves, so that it is the same whatever the order of the cells.
-- NULL: stays NULL and costs nothing. A value that the taxonomy does not know shows the root label and costs 1.
SELECT coalesce(fsum(
    "#records" * CASE
        WHEN leaf = 0 THEN 0
        WHEN node = 0 THEN 1
        ELSE $level / $root
    END
), 0)::DOUBLE AS cost
FROM cells
