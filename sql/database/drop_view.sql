-- Effect: drops a view, if it is there.
-- Reads: nothing
-- Binds: dropped (table)
-- NULL: does not matter.
DROP VIEW IF EXISTS dropped
