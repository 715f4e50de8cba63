-- One row: the tree that DuckDB makes of a query, without running it.
-- Reads: nothing
-- Binds: $query (value)
-- Result: tree (JSON text); its field error tells of text that is no query.
-- NULL: does not occur.
SELECT CAST(json_serialize_sql($query) AS VARCHAR) AS tree
