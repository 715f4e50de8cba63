-- The columns of a view that hold texts, where some column that the view reads has a collation.
-- One row: a column.
-- Reads: the temp view of that name (by DuckDB's plan of it; no record is read).
-- Binds: $view (value)
-- Result: column_name, column_type; no row where the plan names no collation. A plan that DuckDB cannot write down may hold
--   one. Neither DESCRIBE nor the catalogue shows collations.
WITH planned AS (
    SELECT CAST(json_serialize_plan('SELECT * FROM ' || $view) AS VARCHAR) AS plan
)
SELECT columns.column_name, columns.data_type AS column_type
FROM duckdb_columns() AS columns
CROSS JOIN planned
WHERE
    columns.database_name = 'temp'
    AND columns.table_name = $view
    AND contains(columns.data_type, 'VARCHAR')
    AND (contains(planned.plan, '"error":true') OR planned.plan LIKE '%"collation":"_%')
ORDER BY columns.column_index
