-- The cells of two steps, 10^$power and five times as much, with what lies in them.
-- One row: a cell of a stretch and a step that holds a rare leaf.
-- Reads: split_cells, small_numbers
-- Binds: $power (value)
-- Result: temporary table counted_cells: multiple (the step is as many times 10^$power), stretch, cell, records,
--   first_value, last_value. Numbers that the step is larger than are counted all at once.
-- NULL: not a leaf.
CREATE OR REPLACE TEMP TABLE counted_cells AS
WITH parts AS (
    SELECT stretch, cell, sum(records) AS records, min(value) AS first_value, max(value) AS last_value
    FROM split_cells
    GROUP BY stretch, cell
    UNION ALL
    SELECT stretch, cell, records, first_value, last_value
    FROM small_numbers
    WHERE point <= $power::INTEGER AND until > $power::INTEGER
),
steps AS (
    SELECT 1 AS multiple, stretch, cell, records, first_value, last_value
    FROM parts
    UNION ALL
    SELECT 5, stretch, cell // 5 - (cell % 5 < 0)::HUGEINT, records, first_value, last_value
    FROM parts
)
SELECT
    multiple,
    stretch,
    cell,
    sum(records) AS records,
    min(first_value) AS first_value,
    max(last_value) AS last_value
FROM steps
GROUP BY multiple, stretch, cell
