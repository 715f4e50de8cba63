-- The bound of each gap between values that a cut parts: a round one, and beside infinities and NaN the end itself.
-- One row: a gap.
-- Reads: the column's lookup, the leaf codes around each gap, cuts
-- Binds: lookup (table), given (table), $least (value)
-- Result: code_1 (the number of the gap), bound (as text), place (the number of the bound among all, from 0). A value is
--   above a gap if it is not under the bound. $least is a number over -infinity.
-- NULL: has no row in a lookup.
SELECT code_1, bound::VARCHAR AS bound, dense_rank() OVER (ORDER BY bound) - 1 AS place
FROM (
    SELECT
        given.code_1,
        CASE
            WHEN cuts.lower IS NOT NULL THEN cuts.lower
            WHEN low.value::VARCHAR = '-inf' THEN least(high.value, TRY(cast_to_type($least::VARCHAR, high.value)))
            ELSE high.value
        END AS bound
    FROM given
    JOIN lookup AS low ON low.code_0 = given.code_below
    JOIN lookup AS high ON high.code_0 = given.code_above
    LEFT JOIN cuts ON cuts.code_1 = given.code_1
) AS bounds
ORDER BY code_1
