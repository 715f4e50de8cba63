-- The gaps between dates, times of day or timestamps, their ends counted in microseconds since 1970.
-- One row: a gap.
-- Reads: gaps
-- Result: temporary table ends: code_1, low, high: the bound is a timestamp with low < bound <= high; nanosecond (the
--   bound as text where no microsecond is fine enough: the upper leaf itself; NULL elsewhere). Timestamps with zone
--   stand at UTC, times of day on 1970-01-01; an infinite end lies 36525 days beyond the finite one. Nanoseconds are
--   cut off. Seconds and milliseconds are cast first: DuckDB 2.0.1 takes their parts by way of nanoseconds, which begin in 1677.
-- NULL: not a leaf.
CREATE OR REPLACE TEMP TABLE ends AS
WITH counted AS (
    SELECT
        code_1,
        exact,
        CASE WHEN typeof(above) = 'TIMESTAMP_NS' THEN TRY(epoch_ns(below)) END AS below_ns,
        CASE WHEN typeof(above) = 'TIMESTAMP_NS' THEN TRY(epoch_ns(above)) END AS above_ns,
        CASE
            WHEN below_ns IS NOT NULL THEN below_ns // 1000 - (below_ns % 1000 < 0)::BIGINT
            WHEN typeof(below) IN ('TIMESTAMP_S', 'TIMESTAMP_MS') THEN epoch_us(try_cast(below AS TIMESTAMP))
            ELSE epoch_us(below)
        END AS below_us,
        CASE
            WHEN above_ns IS NOT NULL THEN above_ns // 1000 - (above_ns % 1000 < 0)::BIGINT
            WHEN typeof(above) IN ('TIMESTAMP_S', 'TIMESTAMP_MS') THEN epoch_us(try_cast(above AS TIMESTAMP))
            ELSE epoch_us(above)
        END AS above_us
    FROM gaps
),
limits AS (
    SELECT
        code_1,
        above_ns,
        coalesce(exact AND above_ns % 1000 <> 0, FALSE) AS finer,
        coalesce(
            above_us,
            below_us + 3155760000000000,
            epoch_us(make_timestamp(2000, 1, 1, 0, 0, 0))
        ) AS high,
        CASE
            WHEN exact AND above_us IS NOT NULL THEN above_us - 1
            ELSE coalesce(below_us, high - 3155760000000000)
        END AS low
    FROM counted
)
SELECT
    code_1,
    low,
    high,
    CASE
        WHEN finer OR low >= high THEN strftime(make_timestamp_ns(above_ns), '%Y-%m-%d %H:%M:%S.%n')
    END AS nanosecond
FROM limits
