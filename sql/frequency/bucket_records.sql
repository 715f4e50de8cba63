-- The numbered combinations of the buckets that a sample is drawn from.
-- One row: a distinct combination of values.
-- Reads: held (the combinations with their buckets)
-- Binds: held (table)
-- Result: the bucket and the records of each, in the order of their numbers, which start at 0.
-- NULL: does not occur.
SELECT "#bucket" AS bucket, "#records"::BIGINT AS records
FROM held
ORDER BY "#row"
