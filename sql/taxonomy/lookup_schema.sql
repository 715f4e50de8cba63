-- The schema of the tables that place the values of the source in their taxonomies.
-- One row: does not occur.
-- Reads: nothing
-- Binds: nothing
-- NULL: does not occur.
CREATE SCHEMA IF NOT EXISTS lookup
