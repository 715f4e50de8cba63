-- How many values of a lookup have no path.
-- One row: the whole column.
-- Reads: the column's lookup
-- Binds: lookup (table)
-- Result: unseen.
-- NULL: has no row in a lookup.
SELECT count(*) AS unseen
FROM lookup
WHERE code_1 IS NULL
