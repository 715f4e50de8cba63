-- The columns of all tables of a schema, with their types.
-- One row: a column, in its table's order.
-- Reads: DuckDB's catalog
-- Binds: $schema (value)
-- Result: table_name, column_name, column_type.
SELECT table_name, column_name, data_type AS column_type
FROM duckdb_columns()
WHERE schema_name = $schema AND database_name IN (current_database(), 'temp')
ORDER BY table_name, column_index
