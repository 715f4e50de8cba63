-- The bounds between the level-1 intervals of dates, times of day or timestamps.
-- One row: a level-1 node but the first.
-- Reads: gaps, ends, numbered_splits (the starts of units between rare leaves)
-- Result: temporary table cuts: code_1, text (the bound in a label, ISO; with +00 for timestamps with zone), lower (the
--   smallest value of the column's type that is not under the bound). The bound is the last start in the gap of the
--   coarsest of century, decade, year, quarter, month, day, half day, hour, minute, second, millisecond, microsecond.
-- NULL: not a leaf.
CREATE OR REPLACE TEMP TABLE cuts AS
WITH found AS (
    SELECT ends.code_1, gaps.below, gaps.above, ends.low, ends.high, ends.nanosecond
    FROM ends
    JOIN gaps ON gaps.code_1 = ends.code_1
    UNION ALL
    SELECT code_1, below, above, moment - 1, moment, NULL
    FROM numbered_splits
),
stamps AS (
    SELECT code_1, below, above, make_timestamp(low) AS low, make_timestamp(high) AS high, nanosecond
    FROM found
),
starts AS (
    SELECT
        code_1,
        below,
        above,
        nanosecond,
        CASE
            WHEN date_trunc('century', high) > low THEN date_trunc('century', high)
            WHEN date_trunc('decade', high) > low THEN date_trunc('decade', high)
            WHEN date_trunc('year', high) > low THEN date_trunc('year', high)
            WHEN date_trunc('quarter', high) > low THEN date_trunc('quarter', high)
            WHEN date_trunc('month', high) > low THEN date_trunc('month', high)
            WHEN date_trunc('day', high) > low THEN date_trunc('day', high)
            WHEN date_trunc('day', high - INTERVAL 12 HOUR) + INTERVAL 12 HOUR > low
                THEN date_trunc('day', high - INTERVAL 12 HOUR) + INTERVAL 12 HOUR
            WHEN date_trunc('hour', high) > low THEN date_trunc('hour', high)
            WHEN date_trunc('minute', high) > low THEN date_trunc('minute', high)
            WHEN date_trunc('second', high) > low THEN date_trunc('second', high)
            WHEN date_trunc('millisecond', high) > low THEN date_trunc('millisecond', high)
            ELSE high
        END AS start
    FROM stamps
),
written AS (
    SELECT
        code_1,
        below,
        above,
        coalesce(nanosecond, start::VARCHAR) AS stamp,
        CASE
            WHEN typeof(above) = 'TIMESTAMP WITH TIME ZONE' THEN stamp || '+00'
            WHEN typeof(above) = 'TIME' AND start >= make_timestamp(1970, 1, 2, 0, 0, 0) THEN '24:00:00'
            WHEN typeof(above) = 'TIME' THEN substr(stamp, 12)
            WHEN nanosecond IS NULL AND start = date_trunc('day', start) THEN replace(stamp, ' 00:00:00', '')
            ELSE stamp
        END AS text
    FROM starts
),
read AS (
    SELECT code_1, text, below, above, TRY(cast_to_type(text, above)) AS bound
    FROM written
)
SELECT code_1, text, CASE WHEN bound > below AND bound < above THEN bound ELSE above END AS lower
FROM read
