-- Registers finished taxonomies, in the place of earlier ones of the same columns.
-- One row: a column.
-- Binds: $entries (value)
-- Result: the rows of the JSON $entries.
INSERT OR REPLACE INTO taxonomies
SELECT one.column_name, one.kind, one.ordered, one.root, one.leaves, one.nodes, one.origin, one.options, one.digest
FROM (
    SELECT
        unnest(
            from_json(
                $entries::JSON,
                '[{"column_name": "VARCHAR", "kind": "VARCHAR", "ordered": "BOOLEAN", "root": "INTEGER",
                "leaves": "BIGINT", "nodes": ["INTEGER"], "origin": "VARCHAR", "options": "VARCHAR",
                "digest": "VARCHAR"}]'
            )
        ) AS one
)
