-- The classes of a release in which the records of its original can be.
-- One row: a cell of the original and a cell of the release whose labels are over its values.
-- Reads: overlapping_cells, of the original (later) and the release (earlier)
-- Binds: placed (table)
-- Result: temporary table placed: original_cell; records, those of the original in it; class, of the release; cell, of
--   the release.
CREATE OR REPLACE TEMP TABLE placed AS
SELECT later_cell AS original_cell, later_records AS records, earlier AS class, earlier_cell AS cell
FROM overlapping_cells
