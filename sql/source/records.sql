-- One row: 1 if the source holds a record, else 0.
-- Reads: source, up to its first record
-- Binds: nothing
-- NULL: does not occur.
SELECT count(*) AS records
FROM (SELECT 1 FROM source LIMIT 1) AS first_record
