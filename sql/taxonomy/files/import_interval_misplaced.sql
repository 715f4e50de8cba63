-- How many leaves of an imported taxonomy of intervals lie outside the bounds of their interval.
-- One row: the whole taxonomy.
-- Reads: the taxonomy of one column, its lower bounds
-- Binds: taxonomy (table), bounds (table)
-- Result: misplaced.
-- NULL: the lower bound of the interval that is open below; a leaf under all others belongs there.
SELECT count(*) AS misplaced
FROM taxonomy
ASOF LEFT JOIN (SELECT code_1, lower FROM bounds WHERE lower IS NOT NULL) AS closed
    ON taxonomy.value >= closed.lower
WHERE taxonomy.code_1 IS DISTINCT FROM coalesce(closed.code_1, (SELECT min(code_1) FROM bounds WHERE lower IS NULL))
