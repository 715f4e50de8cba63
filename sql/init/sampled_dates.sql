-- The sampled dates of a column.
-- One row: a record whose value is a finite date.
-- Reads: source_sample
-- Binds: held (column)
-- Result: temporary table sampled_dates: stamp (TIMESTAMP).
-- NULL: left out, as are infinite dates.
CREATE OR REPLACE TEMP TABLE sampled_dates AS
SELECT stamp
FROM (SELECT TRY_CAST(held AS TIMESTAMP) AS stamp FROM source_sample) AS stamps
WHERE isfinite(stamp)
