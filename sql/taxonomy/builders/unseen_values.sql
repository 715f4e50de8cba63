-- The values of a lookup that have no path.
-- One row: a value.
-- Reads: the column's lookup
-- Binds: lookup (table)
-- Result: temporary table unseen_values: value.
-- NULL: has no row in a lookup.
CREATE OR REPLACE TEMP TABLE unseen_values AS
SELECT value
FROM lookup
WHERE code_1 IS NULL
