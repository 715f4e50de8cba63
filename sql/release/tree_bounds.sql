-- Where the intervals of a column and the bounds that a cut tree has there begin.
-- One row: such a bound; the first has none.
-- Reads: the lower bounds of the column's intervals with their paths, the bounds of the tree in their order, as text
-- Binds: bounds (table), given (table), codes (columns)
-- Result: lower (as text), place (how many bounds of the tree are not above it), codes (the interval's nodes). NaN is
--   above all numbers.
-- NULL: a lower bound that is open.
WITH cut_at AS (
    SELECT cast_to_type(given.bound, typed.example) AS lower, given.place
    FROM given
    CROSS JOIN (SELECT any_value(lower) AS example FROM bounds) AS typed
), edges AS (
    SELECT lower FROM bounds WHERE lower IS NOT NULL
    UNION
    SELECT lower FROM cut_at
)
SELECT placed.lower::VARCHAR AS lower, placed.place, codes
FROM (
    SELECT NULL AS lower, 0 AS place, NULL AS closed_lower
    UNION ALL
    SELECT edges.lower, coalesce(cut_at.place, 0), closed.lower
    FROM edges
    ASOF LEFT JOIN cut_at ON edges.lower >= cut_at.lower
    ASOF LEFT JOIN (SELECT lower FROM bounds WHERE lower IS NOT NULL) AS closed ON edges.lower >= closed.lower
) AS placed
JOIN bounds ON bounds.lower IS NOT DISTINCT FROM placed.closed_lower
ORDER BY placed.lower NULLS FIRST
