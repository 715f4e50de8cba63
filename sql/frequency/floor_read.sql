-- The floor that the frequency set was written at.
-- One row: a column whose values are counted at a level above their own.
-- Reads: search_floor
SELECT column_name, level
FROM search_floor
