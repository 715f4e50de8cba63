-- The counted rows of a source, as codes.
-- One row: one of evaluated_cells, in the order of its number.
-- Reads: evaluated_cells
-- Binds: leaves (columns)
-- Result: the leaf codes; class_code; records.
-- NULL: is code 0.
SELECT leaves, "#class" AS class_code, "#records"::BIGINT AS records
FROM evaluated_cells
ORDER BY "#row"
