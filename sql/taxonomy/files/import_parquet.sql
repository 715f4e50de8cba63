-- The rows of a hierarchy that stands in a Parquet file, as text.
-- One row: a row of the file.
-- Reads: the file
-- Binds: $path (value)
-- Result: the columns in the file's order.
-- NULL: stays NULL.
SELECT CAST(COLUMNS(*) AS VARCHAR)
FROM read_parquet($path)
