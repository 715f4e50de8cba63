-- Effect: drops a view, if it is there.
-- Binds: dropped (table)
DROP VIEW IF EXISTS dropped
