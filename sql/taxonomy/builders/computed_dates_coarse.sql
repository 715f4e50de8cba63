-- Timestamps of seconds or milliseconds, as timestamps of microseconds: DuckDB 2.0.1 takes the hour of the others by way of
-- nanoseconds, which begin in 1677.
-- One row: a row of the relation held.
-- Reads: held (a relation with value and stamp)
-- Binds: held (table)
-- Result: value, stamp (TIMESTAMP).
-- NULL: stays NULL.
SELECT value, CAST(stamp AS TIMESTAMP) AS stamp
FROM held
