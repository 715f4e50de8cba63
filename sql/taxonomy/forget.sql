-- Drops a table of the schema taxonomy or bounds.
-- One row: none.
-- Reads: nothing
-- Binds: forgotten (table)
-- NULL: does not matter.
DROP TABLE IF EXISTS forgotten
