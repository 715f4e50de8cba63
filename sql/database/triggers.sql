-- The triggers of a database, as database/objects.sql lists its other objects; asked where DuckDB knows triggers.
-- One row: a trigger.
-- Reads: DuckDB's catalog, as database/objects.sql does
-- Result: kind, database, schema, name, whether DuckDB made it, whether it is computed; its table and definition.
SELECT
    'trigger' AS kind,
    database_name,
    schema_name,
    trigger_name AS name,
    FALSE AS internal,
    TRUE AS computed,
    table_name,
    sql
FROM system.main.duckdb_triggers()
