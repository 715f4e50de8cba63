-- The types of the columns of a frequency set, to read or compare the values of a taxonomy.
-- One row: a column of the frequency set.
-- Reads: the catalog of the decision database.
-- Binds: $frequency (value)
-- Result: column_name, data_type, in the table's order.
-- NULL: none occurs.
SELECT
    column_name,
    data_type
FROM duckdb_columns()
WHERE table_name = $frequency
    AND database_name IN (current_database(), 'temp')
ORDER BY column_index
