-- Closes the DuckDB file that was audited.
-- One row: none.
-- Result: nothing.
DETACH DATABASE IF EXISTS audited
