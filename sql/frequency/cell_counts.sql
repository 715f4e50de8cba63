-- Class and number of records of each cell, in the order of the cells.
-- One row: a cell.
-- Reads: numbered (a coded frequency set whose cells have numbers)
-- Binds: numbered (table)
-- NULL: a NULL class is code 0.
SELECT "#class" AS class_code, "#records" AS records
FROM numbered
ORDER BY "#cell"
