-- One row: the records whose value is NULL in one column of the source.
-- Reads: source
-- Binds: value (column)
-- NULL: is what is counted.
SELECT count(*) AS records
FROM source
WHERE value IS NULL
