-- How many records of the source have NULL in a column.
-- One row: the column.
-- Reads: source
-- Binds: value (column)
-- NULL: is what is counted.
SELECT count(*) AS records
FROM source
WHERE value IS NULL
