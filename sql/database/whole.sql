-- The rows of a table.
-- One row: a row of the table.
-- Reads: the table
-- Binds: held (table)
-- NULL: stays NULL.
SELECT *
FROM held
