-- Closes the DuckDB file that was audited.
-- One row: none.
-- Reads: nothing.
-- Binds: nothing
-- Result: nothing.
-- NULL: does not occur.
DETACH DATABASE IF EXISTS audited
