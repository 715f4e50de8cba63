-- Writes the demo export.
-- One row of the file: a made-up person.
-- Reads: demo_export, in its order.
-- Binds: $path (value)
-- Result: the Parquet file $path.
-- NULL: is written as NULL.
COPY (SELECT * FROM demo_export) TO $path (FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false)
