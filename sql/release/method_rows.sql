-- The records of a release as counted rows, with a number for each, as methods and their judges read them.
-- One row: a distinct combination of quasi-identifiers, class and sensitive values.
-- Reads: combined_set
-- Binds: kept (columns)
-- Result: temporary table method_rows: the kept columns; "#row", from 0 in their order; "#records".
-- NULL: is code 0 among leaves and classes; a NULL sensitive value comes last.
CREATE OR REPLACE TEMP TABLE method_rows AS
SELECT (row_number() OVER (ORDER BY kept)) - 1 AS "#row", kept, sum("#records")::BIGINT AS "#records"
FROM combined_set
GROUP BY kept
