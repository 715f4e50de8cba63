-- Notes how wide the nodes of a column are.
-- One row: a node above the leaves that has leaves.
-- Reads: node_leaves, node_spans, taxonomy."<column>"
-- Binds: $column_name (value), codes (columns), labels (columns), taxonomy (table)
-- NULL: a leaf without a code, after an edit, is left out.
INSERT INTO taxonomy_nodes
WITH placed AS (
    SELECT
        generate_subscripts([codes], 1)::INTEGER AS level,
        unnest([codes]) AS node,
        node_records
    FROM node_leaves
),
counted AS (
    SELECT level, node, count(*) AS leaves, sum(node_records)::BIGINT AS records
    FROM placed
    WHERE node IS NOT NULL
    GROUP BY level, node
),
named AS (
    SELECT
        generate_subscripts([codes], 1)::INTEGER AS level,
        unnest([codes]) AS node,
        unnest([labels]) AS node_label
    FROM taxonomy
),
node_labels AS (
    SELECT level, node, any_value(node_label) AS node_label
    FROM named
    GROUP BY level, node
),
total AS (
    SELECT count(*) AS all_leaves
    FROM node_leaves
)
SELECT
    $column_name,
    counted.level,
    counted.node,
    node_labels.node_label,
    counted.leaves,
    counted.records,
    counted.leaves / total.all_leaves,
    node_spans.share
FROM counted
CROSS JOIN total
JOIN node_labels ON node_labels.level = counted.level AND node_labels.node = counted.node
LEFT JOIN node_spans ON node_spans.level = counted.level AND node_spans.node = counted.node
