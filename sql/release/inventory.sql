-- What an attached database holds but triggers, so that two can be compared.
-- Where a list of DuckDB 1 lacks parent_schema or tags, which come with DuckDB 2, the names are those of `absent`.
-- One row: a schema, table, column, constraint, index, view, sequence, type or macro.
-- Reads: DuckDB's catalog
-- Binds: $database (value)
-- Result: kind, schema_name, table_name (the table it belongs to), name, definition (all that says what it is, as
--   text).
-- NULL: table_name of what belongs to no table; a comment or default that is not there is NULL within definition.
WITH absent AS (
    SELECT
        NULL::VARCHAR AS parent_schema,
        NULL::VARCHAR AS tags
)

SELECT
    CASE WHEN schemas.parent_schema IS NULL THEN 'schema' ELSE 'nested schema' END AS kind,
    schemas.schema_name,
    NULL AS table_name,
    schemas.schema_name AS name,
    row(schemas.parent_schema, schemas.comment)::VARCHAR AS definition
FROM
    absent,
    LATERAL (
        SELECT schema_name, parent_schema, comment
        FROM duckdb_schemas()
        WHERE database_name = $database
    ) AS schemas
UNION ALL
SELECT 'table', schema_name, table_name, table_name, row(sql, comment, tags)::VARCHAR
FROM duckdb_tables()
WHERE database_name = $database
UNION ALL
SELECT
    'column',
    columns.schema_name,
    columns.table_name,
    columns.column_name,
    columns.definition
FROM
    absent,
    LATERAL (
        SELECT
            schema_name,
            table_name,
            column_name,
            row(column_index, data_type, is_nullable, column_default, comment, tags)::VARCHAR AS definition
        FROM duckdb_columns()
        WHERE database_name = $database AND NOT internal
    ) AS columns
UNION ALL
SELECT 'constraint', schema_name, table_name, constraint_name, constraint_text
FROM duckdb_constraints()
WHERE database_name = $database
UNION ALL
SELECT 'index', schema_name, table_name, index_name, row(sql, comment, tags)::VARCHAR
FROM duckdb_indexes()
WHERE database_name = $database
UNION ALL
SELECT 'view', schema_name, NULL, view_name, row(sql, comment, tags)::VARCHAR
FROM duckdb_views()
WHERE database_name = $database AND NOT internal
UNION ALL
SELECT 'sequence', schema_name, NULL, sequence_name, row(sql, last_value, comment, tags)::VARCHAR
FROM duckdb_sequences()
WHERE database_name = $database
UNION ALL
SELECT 'type', schema_name, NULL, type_name, row(logical_type, labels, comment, tags)::VARCHAR
FROM duckdb_types()
WHERE database_name = $database AND NOT internal
UNION ALL
SELECT
    'macro',
    schema_name,
    NULL,
    function_name,
    row(function_type, parameters, parameter_types, macro_definition, comment)::VARCHAR
FROM duckdb_functions()
WHERE database_name = $database AND NOT internal
