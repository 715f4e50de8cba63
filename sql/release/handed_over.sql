-- Effect: keeps what a method handed over: a class or a level for each combination, class or value, by their codes.
-- One row: a row that was handed over.
-- Reads: the registered rows
-- Binds: given (table), kept (table)
-- Result: the columns as they were given.
-- NULL: does not occur.
CREATE OR REPLACE TEMP TABLE kept AS
SELECT *
FROM given
