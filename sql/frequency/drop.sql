-- Drops a working table that is no longer needed, or that an earlier run may have left.
-- One row: does not occur.
-- Reads: working
-- Binds: working (table)
-- NULL: does not occur.
DROP TABLE IF EXISTS working
