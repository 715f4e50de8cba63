-- The files of the databases that a connection has attached.
-- One row: a file.
-- Reads: DuckDB's catalog
-- NULL: does not occur; databases in memory have no file.
SELECT path
FROM duckdb_databases()
WHERE path IS NOT NULL
