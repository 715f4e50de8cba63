-- The values of the source that a computed taxonomy has no path for.
-- One row: such a value, the most frequent first.
-- Reads: the lookup of one column.
-- Binds: lookup (table)
-- Result: offender, records; no rows when every value has a path.
-- NULL: has no row in a lookup.
SELECT value::VARCHAR AS offender, records
FROM lookup
WHERE code_1 IS NULL
ORDER BY records DESC, value
