-- The records of a source as counted rows, with a number for each, in the order in which folds are drawn.
-- One row: a distinct combination of quasi-identifiers, class and (where a requirement reads them) sensitive values.
-- Reads: compared_coded
-- Binds: ordered (columns)
-- NULL: is code 0 among leaves and classes; a NULL sensitive value comes last.
CREATE OR REPLACE TABLE compared_rows AS
SELECT (row_number() OVER (ORDER BY ordered)) - 1 AS "#row", *
FROM compared_coded
