-- Timestamps of nanoseconds, cut off to microseconds: a cast rounds, and could show the next year.
-- One row: a row of the relation held.
-- Reads: held (a relation with value and stamp)
-- Binds: held (table)
-- Result: value, stamp (TIMESTAMP).
-- NULL: stays NULL.
WITH counted AS (
    SELECT value, stamp, epoch_ns(stamp) AS nanoseconds
    FROM held
)
SELECT
    value,
    CASE
        WHEN nanoseconds IS NULL THEN CAST(stamp AS TIMESTAMP)
        ELSE make_timestamp(nanoseconds // 1000 - CAST(nanoseconds % 1000 < 0 AS BIGINT))
    END AS stamp
FROM counted
