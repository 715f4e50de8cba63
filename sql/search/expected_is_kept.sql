-- Whether there is an estimate of what rules are expected to reach.
-- One row: how many tables of that name there are.
-- Reads: DuckDB's catalog
-- Binds: nothing
-- NULL: does not occur.
SELECT count(*)
FROM duckdb_tables()
WHERE database_name = current_database() AND schema_name = 'main' AND table_name = 'expected'
