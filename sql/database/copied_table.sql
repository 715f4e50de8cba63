-- A table of another database, made in this one.
-- One row: as there.
-- Reads: the table
-- Binds: given (table), copied (table)
-- NULL: stays NULL.
CREATE TABLE copied AS
SELECT *
FROM given
