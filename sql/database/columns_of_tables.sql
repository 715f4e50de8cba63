-- The columns of tables that may be missing, with their types.
-- One row: a column, in its table's order, of a table of one of the schemas that has one of the names.
-- Reads: DuckDB's catalog
-- Binds: $schemas (value), $tables (value)
-- Result: schema_name, table_name, column_name, column_type.
SELECT schema_name, table_name, column_name, data_type AS column_type
FROM duckdb_columns()
WHERE
    schema_name IN (SELECT unnest($schemas::VARCHAR[]))
    AND table_name IN (SELECT unnest($tables::VARCHAR[]))
    AND database_name IN (current_database(), 'temp')
ORDER BY schema_name, table_name, column_index
