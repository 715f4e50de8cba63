-- The rows of a table, to be carried into another database.
-- One row: a row of the table.
-- Reads: the table
-- Binds: held (table)
-- NULL: stays NULL.
SELECT *
FROM held
