-- The columns of a release with their types.
-- One row: a column.
-- Reads: release
-- Binds: nothing
-- Result: name; type.
-- NULL: does not matter; no value is read.
SELECT column_name AS name, column_type AS type
FROM (DESCRIBE release)
