-- Which of the discovery's tables are there.
-- One row: how many.
-- Reads: DuckDB's catalog
-- Binds: nothing
-- NULL: does not occur.
SELECT count(*)
FROM duckdb_tables()
WHERE database_name = current_database() AND schema_name = 'main' AND table_name IN ('rules', 'discovery')
