-- Effect: removes a working table of the import.
-- Reads: nothing.
-- Binds: working (table)
-- NULL: none occurs.
DROP TABLE IF EXISTS working
