-- Class and number of records of each cell, in the order of the cells.
-- One row: a cell.
-- Reads: coded_numbered
-- Binds: nothing
-- NULL: a NULL class is code 0.
SELECT "#class" AS class_code, "#records" AS records
FROM coded_numbered
ORDER BY "#cell"
