-- The gaps between dates, times of day or timestamps, their ends counted in microseconds since 1970.
-- One row: a gap.
-- Reads: gaps
-- Binds: nothing
-- Result: temporary table ends: code_1, low, high: the bound is a timestamp with low < bound <= high; nanosecond (the bound
--   as text where no microsecond lies in the gap: one nanosecond, or half a unit, above the lower leaf; NULL elsewhere).
--   Timestamps with zone stand at UTC, times of day on 1970-01-01; an infinite end lies 36525 days beyond the finite
--   one. Nanoseconds are cut towards the side that keeps the comparison exact.
-- NULL: not a leaf.
CREATE OR REPLACE TEMP TABLE ends AS
WITH counted AS (
    SELECT
        code_1,
        touches,
        CASE WHEN typeof(above) = 'TIMESTAMP_NS' THEN TRY(epoch_ns(below)) END AS below_ns,
        CASE WHEN typeof(above) = 'TIMESTAMP_NS' THEN TRY(epoch_ns(above)) END AS above_ns,
        CASE
            WHEN below_ns IS NULL THEN epoch_us(below)
            ELSE below_ns // 1000 - (below_ns % 1000 < 0)::BIGINT
        END AS below_us,
        CASE
            WHEN above_ns IS NULL THEN epoch_us(above)
            ELSE above_ns // 1000 - (above_ns % 1000 < 0)::BIGINT
        END AS above_us,
        CASE WHEN above_ns IS NULL THEN 0 ELSE (above_ns % 1000 <> 0)::BIGINT END AS above_rest
    FROM gaps
),
limits AS (
    SELECT
        code_1,
        touches,
        below_ns,
        above_ns,
        below_us AS low,
        CASE
            WHEN above_us IS NOT NULL AND touches THEN above_us
            WHEN above_us IS NOT NULL THEN above_us + above_rest - 1
            WHEN below_us IS NOT NULL THEN below_us + 3155760000000000
            ELSE epoch_us(make_timestamp(2000, 1, 1, 0, 0, 0))
        END AS high
    FROM counted
)
SELECT
    code_1,
    coalesce(low, high - 3155760000000000) AS low,
    high,
    CASE
        WHEN low < high THEN NULL
        WHEN below_ns IS NULL THEN strftime(make_timestamp(low), '%Y-%m-%d %H:%M:%S.%f') || '5'
        WHEN touches THEN strftime(make_timestamp_ns(above_ns), '%Y-%m-%d %H:%M:%S.%n')
        WHEN above_ns - below_ns > 1 THEN strftime(make_timestamp_ns(below_ns + 1), '%Y-%m-%d %H:%M:%S.%n')
        ELSE strftime(make_timestamp_ns(below_ns), '%Y-%m-%d %H:%M:%S.%n') || '5'
    END AS nanosecond
FROM limits
