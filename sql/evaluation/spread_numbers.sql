-- The ends of the intervals of numbers that a release shows; open ones end at the least or largest value of the source.
-- One row: an interval.
-- Reads: spread_bounds (label, lower, upper as text; NULL for an open end), the column's lookup
-- Binds: spread (table), lookup (table), $unit (value)
-- Result: label; low and high, the first unit in the interval and the first above it; without units ($unit 0) its ends.
-- NULL: has no row in a lookup. Infinities and NaN lie in no interval.
CREATE OR REPLACE TEMP TABLE spread AS
WITH ends AS (
    SELECT min(value)::DOUBLE AS least, max(value)::DOUBLE AS largest
    FROM lookup
    WHERE value::VARCHAR NOT IN ('-inf', 'inf', 'nan')
)
SELECT
    spread_bounds.label,
    CASE
        WHEN $unit = 0 THEN coalesce(spread_bounds.lower::DOUBLE, ends.least)
        WHEN spread_bounds.lower IS NULL THEN round(ends.least / $unit)
        ELSE ceil(round(spread_bounds.lower::DOUBLE / $unit, 6))
    END AS low,
    CASE
        WHEN $unit = 0 THEN coalesce(spread_bounds.upper::DOUBLE, ends.largest)
        WHEN spread_bounds.upper IS NULL THEN round(ends.largest / $unit) + 1
        ELSE ceil(round(spread_bounds.upper::DOUBLE / $unit, 6))
    END AS high
FROM spread_bounds
CROSS JOIN ends
