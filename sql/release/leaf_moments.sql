-- The seconds behind the dates or times of a column in a lookup of a release.
-- One row: a value, by leaf code.
-- Reads: the column's lookup
-- Binds: lookup (table)
-- Result: number.
-- NULL: has no row in a lookup. An infinite date has no number.
SELECT epoch(value)::DOUBLE AS number
FROM lookup
ORDER BY code_0
