-- The coded frequency set with a number for each row, in the order of its codes.
-- One row: a distinct combination of quasi-identifier leaves and class.
-- Reads: coded_unfolded
-- Binds: leaves (columns)
-- NULL: is code 0.
CREATE OR REPLACE TABLE coded_numbered AS
SELECT (row_number() OVER (ORDER BY leaves, "#class")) - 1 AS "#cell", *
FROM coded_unfolded
