-- The tables and views of an attached database.
-- One row: a table or view, by schema and name.
-- Reads: DuckDB's catalog
-- Binds: $database (value)
SELECT schema_name, table_name
FROM duckdb_tables()
WHERE database_name = $database
UNION ALL
SELECT schema_name, view_name
FROM duckdb_views()
WHERE database_name = $database AND NOT internal
ORDER BY ALL
