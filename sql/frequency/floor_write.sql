-- Keeps the floor that the frequency set was written at.
-- One row: a column whose values are counted at a level above their own.
-- Binds: $column_names (value), $levels (value)
-- Result: the table search_floor: column_name, level.
CREATE OR REPLACE TABLE search_floor AS
SELECT unnest($column_names::VARCHAR []) AS column_name, unnest($levels::INTEGER []) AS level
