-- The columns of the file that is open as the view release, with their types.
-- One row: a column, in the file's order.
-- Reads: the temp view release (by its entry in DuckDB's catalogue; no record is read).
-- Result: column_name, type.
-- NULL: neither is ever NULL.
SELECT column_name, data_type AS type
FROM duckdb_columns()
WHERE database_name = 'temp' AND table_name = 'release'
ORDER BY column_index
