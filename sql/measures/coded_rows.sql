-- How many rows a coded frequency set has.
-- One row: the whole set.
-- Reads: coded (a coded frequency set)
-- Binds: coded (table)
-- NULL: is a value of its own.
SELECT count(*) AS rows
FROM coded
