-- Notes how wide the nodes of one level are.
-- One row: a node of the level that has leaves.
-- Reads: node_leaves, node_spans, taxonomy."<column>"
-- Binds: $column_name (value), $level (value), label (column), code (column), taxonomy (table)
-- NULL: a leaf without a code, after an edit, is left out.
INSERT INTO taxonomy_nodes
WITH counted AS (
    SELECT
        node_leaves.code AS node,
        count(*) AS leaves,
        sum(node_records)::BIGINT AS records
    FROM node_leaves
    WHERE node_leaves.code IS NOT NULL
    GROUP BY node_leaves.code
),
labels AS (
    SELECT taxonomy.code AS node, any_value(taxonomy.label) AS node_label
    FROM taxonomy
    GROUP BY taxonomy.code
),
total AS (
    SELECT count(*) AS all_leaves
    FROM node_leaves
)
SELECT
    $column_name,
    $level::INTEGER,
    counted.node,
    labels.node_label,
    counted.leaves,
    counted.records,
    counted.leaves / total.all_leaves,
    node_spans.share
FROM counted
CROSS JOIN total
JOIN labels ON labels.node = counted.node
LEFT JOIN node_spans ON node_spans.node = counted.node
