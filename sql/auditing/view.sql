-- The text of the view over an audited file, from which the query of offending classes is built.
-- One row: the view; none where it is not there.
-- Reads: the catalogue.
-- Binds: nothing
-- Result: sql, a CREATE VIEW statement.
-- NULL: does not occur.
SELECT sql
FROM duckdb_views()
WHERE database_name = 'temp' AND view_name = 'release'
