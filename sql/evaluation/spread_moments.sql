-- The ends of the intervals of dates or times that a release shows; open ones end at the least or largest value of the
-- source.
-- One row: an interval.
-- Reads: spread_bounds (label, lower, upper as text; NULL for an open end), the column's lookup
-- Binds: spread (table), lookup (table), $unit (value)
-- Result: label; low and high, the first unit of $unit microseconds in the interval and the first above it.
-- NULL: has no row in a lookup. Infinite dates lie in no interval.
CREATE OR REPLACE TEMP TABLE spread AS
WITH ends AS (
    SELECT epoch_us(min(value)) AS least, epoch_us(max(value)) AS largest
    FROM lookup
    WHERE value::VARCHAR NOT IN ('-infinity', 'infinity')
), read AS (
    SELECT
        label,
        coalesce(epoch_us(try_cast(lower AS TIMESTAMP)), epoch_us(try_cast(lower AS TIME))) AS low,
        coalesce(epoch_us(try_cast(upper AS TIMESTAMP)), epoch_us(try_cast(upper AS TIME))) AS high
    FROM spread_bounds
)
SELECT
    read.label,
    coalesce(ceil(read.low / $unit), floor(ends.least / $unit))::DOUBLE AS low,
    coalesce(ceil(read.high / $unit), floor(ends.largest / $unit) + 1)::DOUBLE AS high
FROM read
CROSS JOIN ends
