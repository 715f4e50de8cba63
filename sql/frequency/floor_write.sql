-- Keeps the floor that the frequency set was written at.
-- One row: a column whose values are counted at a level above their own.
-- Reads: nothing
-- Binds: $column_names (value), $levels (value)
-- Result: the table search_floor: column_name, level.
-- NULL: does not occur.
CREATE OR REPLACE TABLE search_floor AS
SELECT unnest($column_names::VARCHAR []) AS column_name, unnest($levels::INTEGER []) AS level
