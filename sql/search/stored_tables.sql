-- How many of the two tables of a stored discovery are there: both, if one was made.
-- One row: their number.
-- Reads: DuckDB's catalog
SELECT count(*)
FROM duckdb_tables()
WHERE database_name = current_database() AND schema_name = 'main' AND table_name IN ('rules', 'discovery')
