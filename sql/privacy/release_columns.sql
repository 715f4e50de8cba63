-- The names of the columns of the file that is open as the view release.
-- One row: a column, in the file's order.
-- Reads: the temp view release (by its entry in DuckDB's catalogue; no record is read).
-- Binds: nothing
-- Result: column_name.
-- NULL: a column name is never NULL.
SELECT column_name
FROM duckdb_columns()
WHERE database_name = 'temp' AND table_name = 'release'
ORDER BY column_index
