-- The values that a taxonomy holds.
-- One row: a leaf.
-- Reads: the column's taxonomy
-- Binds: taxonomy (table)
-- Result: temporary table known_values: value.
-- NULL: is no leaf.
CREATE OR REPLACE TEMP TABLE known_values AS
SELECT value
FROM taxonomy
