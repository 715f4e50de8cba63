-- Keeps which records' pairs are joined, and in which order.
-- One row: a cell of the coded frequency set with a joined record.
-- Reads: drawn_cells
CREATE OR REPLACE TABLE joined_cells AS
SELECT cell, records, number
FROM drawn_cells
