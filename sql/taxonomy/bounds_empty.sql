-- The level-1 intervals that hold no leaf.
-- One row: such an interval.
-- Reads: bounds."<column>", taxonomy."<column>"
-- Binds: bounds (table), taxonomy (table), paths (columns)
-- Result: temporary table empty_bounds: lower and the path.
-- NULL: a lower bound that is open.
CREATE OR REPLACE TEMP TABLE empty_bounds AS
WITH numbered AS (
    SELECT bounds.lower, row_number() OVER (ORDER BY bounds.lower NULLS FIRST) AS place, bounds.paths
    FROM bounds
),
held AS (
    SELECT DISTINCT coalesce(closed.place, 1) AS place
    FROM taxonomy
    ASOF LEFT JOIN (SELECT lower, place FROM numbered WHERE lower IS NOT NULL) AS closed
        ON taxonomy.value >= closed.lower
)
SELECT numbered.lower, numbered.paths
FROM numbered
ANTI JOIN held ON held.place = numbered.place
