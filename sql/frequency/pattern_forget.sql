-- Drops a table of the pair join, if it is there.
-- One row: does not occur.
-- Reads: working
-- Binds: working (table)
-- NULL: does not occur.
DROP TABLE IF EXISTS working
