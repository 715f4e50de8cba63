-- The values that a taxonomy does not know, the most frequent first.
-- One row: a value.
-- Reads: the column's lookup
-- Binds: lookup (table)
-- NULL: has no row in a lookup.
SELECT value::VARCHAR AS value, records
FROM lookup
WHERE code_1 IS NULL
ORDER BY records DESC, value
LIMIT 20
