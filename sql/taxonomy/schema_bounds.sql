-- The schema that holds the lower bounds of the intervals, one table per column.
-- One row: none.
-- Reads: nothing
-- Binds: nothing
-- NULL: does not matter.
CREATE SCHEMA IF NOT EXISTS bounds
