-- The table of a taxonomy in another decision database, by one name.
-- One row: a value.
-- Reads: taxonomy, a table in an attached database
-- Binds: taxonomy (table)
-- Result: temporary view attacked_taxonomy: the columns of that table.
-- NULL: as in the table.
CREATE OR REPLACE TEMPORARY VIEW attacked_taxonomy AS
SELECT *
FROM taxonomy
