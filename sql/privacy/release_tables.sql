-- The tables and views of the audited DuckDB file, to find the one that is named.
-- One row: a table or view, by schema and name.
-- Reads: the catalogue of the attached database `audited`.
-- Result: schema_name, table_name.
-- NULL: neither is ever NULL.
SELECT schema_name, table_name
FROM duckdb_tables()
WHERE database_name = 'audited' AND NOT internal
UNION ALL
SELECT schema_name, view_name AS table_name
FROM duckdb_views()
WHERE database_name = 'audited' AND NOT internal
ORDER BY schema_name, table_name
