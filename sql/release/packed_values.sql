-- The values of a column of a release.
-- One row: a value, in their order.
-- Reads: the numbered values of a column
-- Binds: packed (table)
-- Result: value.
-- NULL: is a value, the last.
SELECT value
FROM packed
ORDER BY code
