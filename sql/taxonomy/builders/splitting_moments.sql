-- The rare dates and times that round bounds may part: those of stretches that leave enough records on both sides of
-- one.
-- One row: a finite rare leaf.
-- Reads: stretched
-- Binds: $label_k (value)
-- Result: temporary table splitting: stretch, value, records, moment (microseconds since 1970; of times of day, since
--   midnight; nanoseconds are cut off), months (whole months since the year 0). Seconds and milliseconds are cast first, as in
--   taxonomy/builders/bounds_temporal_ends.sql.
-- NULL: not a leaf.
CREATE OR REPLACE TEMP TABLE splitting AS
WITH counted AS (
    SELECT
        stretch,
        value,
        records,
        CASE WHEN typeof(value) = 'TIMESTAMP_NS' THEN TRY(epoch_ns(value)) END AS nanoseconds,
        CASE
            WHEN nanoseconds IS NOT NULL THEN nanoseconds // 1000 - (nanoseconds % 1000 < 0)::BIGINT
            WHEN typeof(value) IN ('TIMESTAMP_S', 'TIMESTAMP_MS') THEN epoch_us(try_cast(value AS TIMESTAMP))
            ELSE epoch_us(value)
        END::BIGINT AS moment
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
