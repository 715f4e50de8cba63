-- Drops a working table that a later step replaced.
-- One row: does not occur.
-- Reads: working
-- Binds: working (table)
-- NULL: does not occur.
DROP TABLE working
