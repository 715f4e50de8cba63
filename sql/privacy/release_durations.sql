-- The columns of a release that hold durations.
-- One row: a column.
-- Reads: release
-- Binds: nothing
-- Result: name.
-- NULL: does not matter; no value is read.
SELECT column_name AS name
FROM (DESCRIBE release)
WHERE column_type = 'INTERVAL'
