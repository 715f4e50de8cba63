-- The rows whose pairs are joined, numbered in a random order.
-- One row: a cell of the coded frequency set with a joined record.
-- Reads: coded_frequency_set, joined_cells
-- Result: "#id", the columns of the coded frequency set, and as "#records" how many of its records are joined.
-- NULL: code 0.
SELECT
    joined_cells.number AS "#id",
    coded_frequency_set.* EXCLUDE ("#records"),
    joined_cells.records AS "#records"
FROM coded_frequency_set
JOIN joined_cells ON "#cell" = joined_cells.cell
