-- One row: one row of a Parquet file, its columns as text.
-- Reads: the file
-- Binds: $path (value)
-- Result: the columns in the file's order.
-- NULL: stays NULL.
SELECT CAST(COLUMNS(*) AS VARCHAR)
FROM read_parquet($path)
