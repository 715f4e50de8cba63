-- The values of a column of a release, or the combinations of several of its columns.
-- One row: a value or a combination, in their order.
-- Reads: the numbered values of a column, or of several
-- Binds: packed (table)
-- Result: value_0 and so on.
-- NULL: is a value, the last.
SELECT * EXCLUDE (code)
FROM packed
ORDER BY code
