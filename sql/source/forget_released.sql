-- Removes the view that the queries of a workload are asked of.
-- One row: none.
-- Reads: nothing.
-- Binds: nothing
-- Result: nothing.
-- NULL: does not occur.
DROP VIEW IF EXISTS temp.released
