-- Removes a table that an attack made.
-- One row: none.
-- Reads: nothing.
-- Binds: made (table)
-- Result: nothing.
-- NULL: does not occur.
DROP TABLE IF EXISTS temp.made
