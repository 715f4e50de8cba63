-- Whether DuckDB knows a time zone.
-- One row: the answer.
-- Reads: DuckDB's time zones
-- Binds: $zone (value)
-- Result: zones (1 if it does, else 0).
-- NULL: no zone is NULL.
SELECT count(*) AS zones
FROM pg_timezone_names()
WHERE lower(name) = lower($zone)
