-- The columns of a table that hold the labels of a taxonomy.
-- One row: a column.
-- Reads: the catalogue
-- Binds: $database (value), $column (value)
-- Result: name: level_1, level_2 and so on.
SELECT column_name AS name
FROM duckdb_columns()
WHERE database_name = $database AND schema_name = 'taxonomy' AND table_name = $column AND column_name LIKE 'level\_%' ESCAPE '\'
ORDER BY column_index
