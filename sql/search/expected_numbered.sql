-- The set that is split into records to search and records to test on, with a number for each row.
-- One row: a distinct combination of quasi-identifier leaves and class (and sensitive values, where required).
-- Reads: whole
-- Binds: ordered (columns), whole (table)
-- NULL: is code 0 among leaves; a NULL sensitive value comes last.
CREATE OR REPLACE TABLE held_out_rows AS
SELECT (row_number() OVER (ORDER BY ordered, "#records")) - 1 AS "#row", *
FROM whole
