-- How many rows a table has.
-- One row: the whole table.
-- Reads: the table
-- Binds: counted (table)
-- Result: found.
SELECT count(*) AS found
FROM counted
