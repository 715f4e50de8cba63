-- The records of a source as counted rows, with a number for each, in the order in which folds are drawn.
-- One row: a distinct combination of quasi-identifiers, class and sensitive values.
-- Reads: coded_cells
-- Binds: ordered (columns)
-- Result: evaluated_cells: the columns of coded_cells; "#row", from 0.
-- NULL: is code 0 among leaves and classes; a NULL sensitive value comes last.
CREATE OR REPLACE TABLE evaluated_cells AS
SELECT (row_number() OVER (ORDER BY ordered)) - 1 AS "#row", *
FROM coded_cells
