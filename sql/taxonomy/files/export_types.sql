-- The types of the columns to export: what a Parquet file must hold, and what a dbt seed declares.
-- One row: a column of the rows to export, with its DuckDB type.
-- Reads: exported
-- Binds: nothing
-- Result: column_name, column_type, in the table's order.
-- NULL: none occurs.
SELECT
    column_name,
    column_type
FROM (DESCRIBE exported)
WHERE column_name NOT IN ('#node', '#leaf')
