-- Effect: drops a table, if it is there.
-- Binds: dropped (table)
DROP TABLE IF EXISTS dropped
