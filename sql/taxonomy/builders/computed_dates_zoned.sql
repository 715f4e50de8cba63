-- Timestamps with zone, as the clock of one zone shows them.
-- One row: a row of the relation held.
-- Reads: held (a relation with value and stamp: TIMESTAMP WITH TIME ZONE)
-- Binds: held (table), $zone (value)
-- Result: value, stamp (TIMESTAMP: local time; the hour that a clock shows twice in autumn is one hour).
-- NULL: stays NULL.
SELECT value, timezone($zone, stamp) AS stamp
FROM held
