-- What a database holds beside triggers and plain columns of tables, to refuse one with objects that anonduck does not
-- create.
-- One row: such an object: a macro, view, sequence, index, type or schema, or a column.
-- Reads: DuckDB's catalog, by full names and without a single function, operator or filter: a macro of an opened
--   database may bear the name of any of them.
-- Result: kind, database, schema, name, whether DuckDB made it, and as text whether it is computed: of columns the
--   expression that computes or fills them.
-- NULL: that expression of plain columns.
SELECT 'macro' AS kind, database_name, schema_name, function_name AS name, internal, TRUE AS computed
FROM system.main.duckdb_functions()
UNION ALL
SELECT 'view', database_name, schema_name, view_name, internal, TRUE
FROM system.main.duckdb_views()
UNION ALL
SELECT 'sequence', database_name, schema_name, sequence_name, FALSE, TRUE
FROM system.main.duckdb_sequences()
UNION ALL
SELECT 'index', database_name, schema_name, index_name, FALSE, TRUE
FROM system.main.duckdb_indexes()
UNION ALL
SELECT 'type', database_name, schema_name, type_name, internal, TRUE
FROM system.main.duckdb_types()
UNION ALL
SELECT 'schema', database_name, schema_name, schema_name, internal, TRUE
FROM system.main.duckdb_schemas()
UNION ALL
SELECT 'computed column', database_name, schema_name, column_name, internal, column_default
FROM system.main.duckdb_columns()
