-- The rare dates and times that round bounds may part: those of stretches that leave enough records on both sides of
-- one.
-- One row: a finite rare leaf.
-- Reads: stretched
-- Binds: $label_k (value)
-- Result: temporary table splitting: stretch, value, records, moment (microseconds since 1970; of times of day, since
--   midnight), months (whole months since the year 0).
-- NULL: not a leaf.
CREATE OR REPLACE TEMP TABLE splitting AS
WITH counted AS (
    SELECT stretch, value, records, epoch_us(value)::BIGINT AS moment
    FROM stretched
    WHERE NOT common
    QUALIFY sum(records) OVER (PARTITION BY stretch) >= 2 * $label_k::HUGEINT
)
SELECT
    stretch,
    value,
    records,
    moment,
    year(make_timestamp(moment)) * 12 + month(make_timestamp(moment)) - 1 AS months
FROM counted
WHERE moment IS NOT NULL
