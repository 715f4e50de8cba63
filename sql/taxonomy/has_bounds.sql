-- Whether a column's taxonomy has bounds that hold a level.
-- One row: the column.
-- Reads: nothing
-- Binds: $column_name (value), $level (value)
-- Result: found.
-- NULL: does not occur.
SELECT count(*) > 0 AS found
FROM duckdb_columns()
WHERE
    database_name = current_database()
    AND schema_name = 'bounds'
    AND table_name = $column_name
    AND column_name = $level
