-- The counted rows of a source, as codes.
-- One row: one of compared_rows, in the order of its number.
-- Reads: compared_rows
-- Binds: leaves (columns)
-- Result: the leaf codes; class_code; records.
-- NULL: is code 0.
SELECT leaves, "#class" AS class_code, "#records" AS records
FROM compared_rows
ORDER BY "#row"
