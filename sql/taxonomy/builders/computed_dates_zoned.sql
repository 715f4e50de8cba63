-- Timestamps with zone, as the clock of one zone shows them.
-- One row: a row of the relation held.
-- Reads: held (a relation with value and stamp: TIMESTAMP WITH TIME ZONE)
-- Binds: held (table), given (list)
-- Result: value, stamp (TIMESTAMP: local time; the hour that a clock shows twice in autumn is one hour).
-- NULL: stays NULL.
SELECT value, each(given, timezone({zone}, stamp) AS stamp)
FROM held
