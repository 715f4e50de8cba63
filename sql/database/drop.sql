-- Effect: drops a table, if it is there.
-- Reads: nothing
-- Binds: dropped (table)
-- NULL: does not matter.
DROP TABLE IF EXISTS dropped
