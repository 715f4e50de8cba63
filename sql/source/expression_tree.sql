-- The tree that DuckDB makes of a query without running it, to refuse expressions that are not allowed.
-- One row: the query.
-- Binds: $query (value)
-- Result: tree (JSON text); its field error is true for text that is no query.
SELECT CAST(json_serialize_sql($query) AS VARCHAR) AS tree
