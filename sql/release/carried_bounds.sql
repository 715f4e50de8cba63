-- The bounds of one level's intervals, to be carried into another database.
-- One row: the first interval of those, side by side, that have one label at that level, with its whole path.
-- Reads: the column's bounds
-- Binds: label (column), bounds (table)
-- NULL: the lower bound of the first interval.
SELECT *
FROM bounds
QUALIFY label IS DISTINCT FROM lag(label) OVER (ORDER BY lower NULLS FIRST)
ORDER BY lower NULLS FIRST
