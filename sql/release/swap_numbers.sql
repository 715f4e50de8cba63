-- The values of a column of numbers with the number behind each, for its codes.
-- One row: a row of the set that is coded.
-- Reads: the set
-- Binds: swapped_value (column), coded_set (table), made (table)
-- Result: "#row", "#records"; value; number.
-- NULL: stays.
CREATE OR REPLACE TEMP TABLE made AS
SELECT "#row", "#records", swapped_value AS value, swapped_value::DOUBLE AS number
FROM coded_set
