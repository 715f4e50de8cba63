-- The tables that a name may stand for, each with its number, which changes when the table is replaced.
-- One row: a table.
-- Reads: DuckDB's catalog
-- Binds: $name (value)
SELECT database_name, schema_name, table_oid
FROM duckdb_tables()
WHERE database_name IN (current_database(), 'temp') AND table_name = $name
ORDER BY ALL
