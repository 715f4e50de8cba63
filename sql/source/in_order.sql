-- Columns of the source in the order of another one.
-- One row: a record.
-- Reads: source
-- Binds: read (columns), row (column)
-- Result: the columns read, in the order of row.
-- NULL: stays.
SELECT read
FROM source
ORDER BY row
