-- The numbers of a column in a lookup of a release.
-- One row: a value, by leaf code.
-- Reads: the column's lookup
-- Binds: lookup (table)
-- Result: number.
-- NULL: has no row in a lookup.
SELECT value::DOUBLE AS number
FROM lookup
ORDER BY code_0
