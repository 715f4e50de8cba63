-- Drops a table that describes values for clusters.
-- One row: does not occur.
-- Reads: nothing
-- Binds: working (table)
-- NULL: does not occur.
DROP TABLE IF EXISTS working
