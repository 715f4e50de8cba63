-- The registered taxonomies whose tables are there.
-- One row: a column with a taxonomy.
-- Reads: taxonomies
-- Result: column_name, kind, ordered, root, leaves, nodes, origin, options (JSON), digest; by column.
SELECT column_name, kind, ordered, root, leaves, nodes, origin, options, digest
FROM taxonomies
WHERE column_name IN (
    SELECT table_name
    FROM duckdb_tables()
    WHERE schema_name = 'taxonomy' AND database_name = current_database()
)
ORDER BY column_name
