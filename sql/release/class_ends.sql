-- The labels, level by level, of the least and of the largest value among the records that are released, but for
-- infinities and NaN, which lie in no interval.
-- One row: such a value; a single row where they are one, none where there is no such value.
-- Reads: the column's lookup, the frequency set of the records that stay
-- Binds: labels (columns), raw_value (column), lookup (table), staying (table)
-- NULL: has no row in a lookup.
SELECT labels
FROM lookup
WHERE code_0 IN (
    SELECT unnest([min(held.code_0), max(held.code_0)])
    FROM lookup AS held
    SEMI JOIN staying ON staying.raw_value = held.value
    WHERE held.value::VARCHAR NOT IN ('-inf', 'inf', 'nan')
)
ORDER BY code_0
