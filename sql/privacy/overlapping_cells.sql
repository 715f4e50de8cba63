-- The cells of two releases that one person can be in: they have compatible labels and agree in the kept columns.
-- One row: a pair of such cells.
-- Reads: later_cells, earlier_cells, compatible
-- Binds: labelled (list), kept (list)
-- Result: temporary table overlapping_cells: later and earlier, the classes; later_cell and earlier_cell; later_records and
--   earlier_records.
-- NULL: in kept columns a value of its own.
CREATE OR REPLACE TEMPORARY TABLE overlapping_cells AS
SELECT
    later.class AS later,
    earlier.class AS earlier,
    later.cell AS later_cell,
    earlier.cell AS earlier_cell,
    later.records AS later_records,
    earlier.records AS earlier_records
FROM later_cells AS later
joins(labelled, JOIN compatible AS c{number} ON c{number}.attribute = {number} AND c{number}.later = later.l_{number};)
JOIN earlier_cells AS earlier ON
    all_of(labelled, earlier.l_{number} = c{number}.earlier; TRUE)
    AND all_of(kept, earlier.a_{number} IS NOT DISTINCT FROM later.a_{number}; TRUE)
