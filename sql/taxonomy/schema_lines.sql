-- The schema that holds the lines of hierarchy files, one table per imported column.
-- One row: none.
-- Reads: nothing
-- Binds: nothing
-- NULL: does not matter.
CREATE SCHEMA IF NOT EXISTS taxonomy_lines
