-- Removes the view by which the order of a file's rows was checked.
-- One row: none.
-- Reads: nothing.
-- Binds: nothing
-- Result: nothing.
-- NULL: does not occur.
DROP VIEW IF EXISTS temp.numbered_release
