-- The training part of a fold: the rows of a source with the records that are not taken out.
-- One row: one of evaluated_cells that has some.
-- Reads: evaluated_cells, part_counts (registered)
-- Binds: nothing
-- Result: table part_cells: the columns of evaluated_cells; "#records" are those of the part.
-- NULL: stays.
CREATE OR REPLACE TABLE part_cells AS
SELECT evaluated_cells.* EXCLUDE ("#records"), part_counts.records AS "#records"
FROM evaluated_cells
JOIN part_counts ON part_counts."#row" = evaluated_cells."#row"
WHERE part_counts.records > 0
