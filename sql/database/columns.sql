-- The columns of a table that may be missing, with their types.
-- One row: a column, in the table's order; no row where there is no such table.
-- Reads: DuckDB's catalog
-- Binds: $schema (value), $table (value)
-- Result: column_name, column_type.
SELECT column_name, data_type AS column_type
FROM duckdb_columns()
WHERE
    schema_name = $schema
    AND table_name = $table
    AND database_name IN (current_database(), 'temp')
ORDER BY column_index
