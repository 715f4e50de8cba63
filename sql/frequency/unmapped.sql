-- How many values of a column its taxonomy does not know, and how many records hold them.
-- One row: the whole column.
-- Reads: the column's lookup
-- Binds: lookup (table)
-- NULL: has no row in a lookup and is never unmapped.
SELECT count(*) AS unmapped_values, coalesce(sum(records), 0)::BIGINT AS records
FROM lookup
WHERE code_1 IS NULL
