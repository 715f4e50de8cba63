-- The columns of the taxonomy table of one column, which tell how many levels the taxonomy has.
-- One row: a column of a taxonomy table.
-- Reads: the catalog of the decision database.
-- Binds: $column (value)
-- Result: column_name, in the table's order; no row when the column has no taxonomy.
-- NULL: none occurs.
SELECT column_name
FROM duckdb_columns()
WHERE schema_name = 'taxonomy'
    AND table_name = $column
    AND database_name = current_database()
ORDER BY column_index
