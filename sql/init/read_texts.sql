-- Columns of texts as a CSV file that holds them is read.
-- One row: a record.
-- Reads: source
-- Binds: read (columns), row (column)
-- Result: the columns read, in the order of row.
-- NULL: stays.
SELECT read
FROM source
ORDER BY row
