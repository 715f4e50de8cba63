-- The rare leaves that finer steps may part: those of cells that leave enough records on both sides of a bound.
-- One row: a rare leaf.
-- Reads: split_cells
-- Binds: $label_k (value)
-- Result: temporary table splitting, with the columns that it had.
-- NULL: not a leaf.
CREATE OR REPLACE TEMP TABLE splitting AS
SELECT * EXCLUDE (cell)
FROM split_cells
QUALIFY sum(records) OVER (PARTITION BY stretch, cell) >= 2 * $label_k::HUGEINT
