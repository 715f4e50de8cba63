-- How many bounds of a cut tree each value of a column is not under.
-- One row: a value, by leaf code.
-- Reads: the column's lookup, the bounds in their order, as text
-- Binds: lookup (table), given (table)
-- Result: code_0, place. NaN is above all numbers.
-- NULL: has no row in a lookup.
SELECT code_0, coalesce(bounds.place, 0)::BIGINT AS place
FROM lookup
ASOF LEFT JOIN (
    SELECT cast_to_type(given.bound, typed.example) AS bound, given.place
    FROM given
    CROSS JOIN (SELECT any_value(value) AS example FROM lookup) AS typed
) AS bounds ON lookup.value >= bounds.bound
ORDER BY code_0
