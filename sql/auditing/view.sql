-- One row: how the view over the audited release is defined.
-- Reads: the catalogue.
-- Binds: nothing
-- Result: sql, a CREATE VIEW statement.
-- NULL: does not occur.
SELECT sql
FROM duckdb_views()
WHERE database_name = 'temp' AND view_name = 'release'
