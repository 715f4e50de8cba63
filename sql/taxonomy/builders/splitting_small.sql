-- The rare numbers that steps are larger than, counted: they lie in two cells, from 0 up and under 0, one by one or
-- not.
-- One row: a stretch, a sign, and a number of digits before the point.
-- Reads: rare_numbers
-- Result: temporary table small_numbers: stretch, cell (0 or -1), point, records, first_value, last_value (of the
--   numbers of that sign without a digit before 10^point), until (steps of 10^point up to under 10^until are larger
--   than these numbers and no more of them; that of all numbers of a stretch is their point itself where no
--   neighbouring cell has any).
-- NULL: not a leaf.
CREATE OR REPLACE TEMP TABLE small_numbers AS
WITH counted AS (
    SELECT stretch, cell, point, sum(records) AS records, min(value) AS first_value, max(value) AS last_value
    FROM rare_numbers
    GROUP BY stretch, cell, point
),
signs AS (
    SELECT stretch, min(cell) < max(cell) AS both
    FROM counted
    GROUP BY stretch
)
SELECT
    counted.stretch,
    counted.cell,
    counted.point,
    sum(counted.records) OVER along AS records,
    min(counted.first_value) OVER along AS first_value,
    max(counted.last_value) OVER along AS last_value,
    coalesce(
        lead(counted.point) OVER along, CASE WHEN signs.both THEN 2147483647 ELSE counted.point END
    )::INTEGER AS until
FROM counted
JOIN signs ON signs.stretch = counted.stretch
WINDOW along AS (PARTITION BY counted.stretch, counted.cell ORDER BY counted.point)
