-- The distinct rows of a grouped release in the order of their values.
-- One row: a distinct row.
-- Reads: the grouped release.
-- Binds: shown (columns), grouped (table)
-- Result: the values; records, how many have them.
-- NULL: is a value as any other, the last in order.
SELECT
    shown,
    "#records"::BIGINT AS records
FROM grouped
ORDER BY shown
