-- How many records the source has.
-- One row: the whole source.
-- Reads: source, in one scan
-- Binds: nothing
-- NULL: does not matter; no value is read.
SELECT count(*) AS records
FROM source
