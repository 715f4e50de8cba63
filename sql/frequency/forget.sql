-- Drops a table that an earlier discovery may have left, where it is there.
-- One row: does not occur.
-- Reads: nothing
-- Binds: kept_before (table)
-- NULL: does not occur.
DROP TABLE IF EXISTS kept_before
