-- What a search reads of a decision database beside the frequency set: taxonomies, lookups, widths.
-- One row: a table.
-- Reads: DuckDB's catalog
-- Binds: $catalog (value)
-- NULL: does not occur.
SELECT schema_name, table_name
FROM duckdb_tables()
WHERE
    database_name = $catalog
    AND (
        schema_name IN ('lookup', 'taxonomy', 'bounds')
        OR (schema_name = 'main' AND table_name IN ('class_values', 'taxonomies', 'taxonomy_nodes'))
    )
ORDER BY schema_name, table_name
