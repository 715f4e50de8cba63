-- How many distinct combinations of quasi-identifier leaves and class there are.
-- One row: their number.
-- Reads: coded
-- Binds: coded (table)
-- NULL: is a value of its own.
SELECT count(*)
FROM coded
