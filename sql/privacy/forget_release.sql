-- Removes the view through which a file was audited.
-- One row: none.
-- Reads: nothing.
-- Binds: nothing
-- Result: nothing.
-- NULL: does not occur.
DROP VIEW IF EXISTS temp.release
