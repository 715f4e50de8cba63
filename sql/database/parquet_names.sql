-- The names of a Parquet file's columns as the file has them, where DuckDB would rename some.
-- One row: an element of the file's schema, depth first, its root at the top: name, and number of children.
-- Reads: the file's metadata; DuckDB's own column names differ where the file repeats one.
-- Binds: $file (value)
-- NULL: children is NULL for a column that is not nested.
SELECT
    name,
    num_children AS children
FROM parquet_schema($file)
