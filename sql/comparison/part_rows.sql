-- The training part of a fold: the rows of a source with the records that are not held out.
-- One row: one of compared_rows that has some.
-- Reads: compared_rows, part_counts (registered)
-- Binds: told (columns)
-- Result: the columns that are told; "#row"; "#records" are those of the part.
-- NULL: stays.
CREATE OR REPLACE TABLE compared_part AS
SELECT compared_rows."#row" AS "#row", told, part_counts.records AS "#records"
FROM compared_rows
JOIN part_counts ON part_counts."#row" = compared_rows."#row"
WHERE part_counts.records > 0
