-- Whether the frequency set was written at a floor.
-- One row: always one.
-- Reads: the decision database's catalog
-- Binds: nothing
-- NULL: does not occur.
SELECT count(*) > 0
FROM duckdb_tables()
WHERE database_name = current_database() AND schema_name = current_schema() AND table_name = 'search_floor'
