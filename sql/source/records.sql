-- Whether the source holds any record.
-- One row: 1 if it does, else 0.
-- Reads: source, up to its first record
SELECT count(*) AS records
FROM (SELECT 1 FROM source LIMIT 1) AS first_record
