-- How many records the source has.
-- One row: the whole source.
-- Reads: source, in one scan
SELECT count(*) AS records
FROM source
