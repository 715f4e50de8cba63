-- The number behind each leaf code of an ordered column: the value itself, or its rank where it is no number.
-- One row: a distinct value, in the order of the leaf codes, which start at 1.
-- Reads: the column's lookup
-- Binds: lookup (table)
-- NULL: has no row. A value that is no number (a date) counts as its rank.
SELECT coalesce(try_cast(value AS DOUBLE), code_0::DOUBLE) AS number
FROM lookup
ORDER BY code_0
