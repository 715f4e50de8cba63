-- The schema that holds one lookup table per column.
-- One row: none.
-- Reads: nothing
-- Binds: nothing
-- NULL: does not matter.
CREATE SCHEMA IF NOT EXISTS taxonomy
