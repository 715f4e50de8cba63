-- How many records the source has, up to a number of them.
-- One row: the whole source.
-- Reads: source, as far as it has to be
-- Binds: $most (value)
-- NULL: does not matter; no value is read.
SELECT count(*) AS records
FROM (SELECT 1 FROM source LIMIT $most)
