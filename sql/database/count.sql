-- How many rows a table has.
-- One row: the whole table.
-- Reads: the table
-- Binds: counted (table)
-- Result: found.
-- NULL: does not matter; no value is read.
SELECT count(*) AS found
FROM counted
