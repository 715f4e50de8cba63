-- Whether an attached database has the schema that a released table is to stand in.
-- One row: 1 if it has, else 0.
-- Reads: DuckDB's catalog
-- Binds: $database (value), $schema (value)
SELECT count(*) AS schemas
FROM duckdb_schemas()
WHERE database_name = $database AND schema_name = $schema
