-- The tables that hold the taxonomies of a decision database, and the key of its fingerprints.
-- One row: a table, by catalog, schema and name.
-- Reads: DuckDB's catalog
SELECT database_name, schema_name, table_name
FROM duckdb_tables()
WHERE database_name = current_database()
    AND (
        schema_name IN ('taxonomy', 'bounds', 'taxonomy_lines')
        OR (schema_name = 'main' AND table_name IN ('taxonomies', 'taxonomy_nodes', 'fingerprint_key'))
    )
ORDER BY ALL
