-- Whether the lines of a column's hierarchy file were kept, to say where offenders stand in it.
-- One row: the table that holds the lines of a column's imported taxonomy, if there is one.
-- Reads: the catalog of the decision database.
-- Binds: $column (value)
-- Result: table_name; no row for a taxonomy that came from no file.
-- NULL: none occurs.
SELECT table_name
FROM duckdb_tables()
WHERE schema_name = 'taxonomy_lines'
    AND table_name = $column
    AND database_name = current_database()
