-- The tables of the attached database that a release is put into, in an order in which they can be filled.
-- Where DuckDB 1 does not say which columns are computed, the name is that of `absent`; it refuses to fill them.
-- One row: a table, those that others refer to by a foreign key before these.
-- Reads: DuckDB's catalog
-- Binds: $database (value)
-- Result: schema_name, table_name, fields (the names of the columns that are stored, in their order).
WITH RECURSIVE depths (schema_name, table_name, depth) AS (
    SELECT schema_name, table_name, 0
    FROM duckdb_tables()
    WHERE database_name = $database
    UNION
    SELECT referring.schema_name, referring.table_name, depths.depth + 1
    FROM depths
    JOIN duckdb_constraints() AS referring
        ON referring.referenced_table = depths.table_name
        AND referring.database_name = $database
        AND referring.constraint_type = 'FOREIGN KEY'
        AND referring.table_name <> depths.table_name
    WHERE depths.depth < 1000
),

absent AS (
    SELECT FALSE AS is_generated
)

SELECT
    depths.schema_name,
    depths.table_name,
    (
        SELECT list(stored.column_name ORDER BY stored.column_index)
        FROM duckdb_columns() AS stored
        WHERE stored.database_name = $database
            AND stored.schema_name = depths.schema_name
            AND stored.table_name = depths.table_name
            AND NOT is_generated
    ) AS fields
FROM depths, absent
GROUP BY depths.schema_name, depths.table_name, absent.is_generated
ORDER BY max(depths.depth), depths.schema_name, depths.table_name
