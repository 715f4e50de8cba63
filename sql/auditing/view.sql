-- The text of the view over an audited file, from which the query of offending classes is built.
-- One row: the view.
-- Reads: the catalogue.
-- Result: sql, a CREATE VIEW statement.
SELECT sql
FROM duckdb_views()
WHERE database_name = 'temp' AND view_name = 'release'
