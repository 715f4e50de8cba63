-- Values that a taxonomy does not know.
-- One row: the whole column.
-- Reads: the column's lookup
-- Binds: lookup (table)
-- NULL: has no row in a lookup and is never unmapped.
SELECT count(*) AS unmapped_values, coalesce(sum(records), 0)::BIGINT AS records
FROM lookup
WHERE code_1 IS NULL
