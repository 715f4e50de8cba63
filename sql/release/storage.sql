-- How the file of an attached database is written, so that a new one can be written alike.
-- One row: the database; none where it is not attached.
-- Reads: DuckDB's catalog
-- Binds: $database (value)
-- Result: version (the oldest DuckDB that reads it, such as v1.0.0), block_size (bytes).
SELECT
    rtrim(databases.tags['storage_version'], '+') AS version,
    sizes.block_size
FROM duckdb_databases() AS databases
JOIN pragma_database_size() AS sizes
    ON sizes.database_name = databases.database_name
WHERE databases.database_name = $database
