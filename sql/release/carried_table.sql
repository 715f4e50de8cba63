-- Effect: makes a table of rows that were carried from another database.
-- One row: a row that was carried.
-- Reads: the rows
-- Binds: carried (table), made (table)
-- NULL: stays NULL.
CREATE OR REPLACE TABLE made AS
SELECT *
FROM carried
