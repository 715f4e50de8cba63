-- The records that are in a class of each of two releases, whose places in both are known.
-- One row: a cell of the original that is in both releases.
-- Reads: placed_later, placed_earlier
-- Binds: overlapping_cells (table)
-- Result: temporary table overlapping_cells: later and earlier, the classes; later_cell and earlier_cell, the cell of
--   the original; later_records and earlier_records, its records.
CREATE OR REPLACE TEMP TABLE overlapping_cells AS
SELECT
    later.class AS later,
    earlier.class AS earlier,
    later.original_cell AS later_cell,
    earlier.original_cell AS earlier_cell,
    later.records AS later_records,
    earlier.records AS earlier_records
FROM placed_later AS later
JOIN placed_earlier AS earlier ON earlier.original_cell = later.original_cell
