-- The units of the calendar or the clock with what lies in them.
-- One row: a unit of a stretch that holds a rare leaf.
-- Reads: split_cells
-- Result: temporary table counted_cells: multiple (1), stretch, cell, records, first_value, last_value.
-- NULL: not a leaf.
CREATE OR REPLACE TEMP TABLE counted_cells AS
SELECT 1 AS multiple, stretch, cell, sum(records) AS records, min(value) AS first_value, max(value) AS last_value
FROM split_cells
GROUP BY stretch, cell
