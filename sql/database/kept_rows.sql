-- Effect: keeps rows that were handed over, such as a class for each combination, or a sample that an engine drew.
-- One row: a row that was handed over.
-- Reads: the registered rows
-- Binds: given (table), kept (table)
-- Result: the columns as they were given.
CREATE OR REPLACE TEMP TABLE kept AS
SELECT *
FROM given
