-- The rare leaves that finer steps may part: those of cells that leave enough records on both sides of a bound.
-- One row: a rare leaf.
-- Reads: split_cells, counted_cells
-- Binds: $label_k (value)
-- Result: temporary table splitting, with the columns that it had.
-- NULL: not a leaf.
CREATE OR REPLACE TEMP TABLE splitting AS
SELECT split_cells.* EXCLUDE (cell)
FROM split_cells
JOIN counted_cells
    ON counted_cells.stretch = split_cells.stretch
    AND counted_cells.cell = split_cells.cell
WHERE counted_cells.multiple = 1 AND counted_cells.records >= 2 * $label_k::HUGEINT
