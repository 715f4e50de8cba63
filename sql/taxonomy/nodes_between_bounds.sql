-- How wide the nodes of one level are: how far each reaches by its intervals.
-- One row: a node of the level that has leaves.
-- Reads: node_leaves, node_pieces, taxonomy."<column>"
-- Binds: label (column), code (column), taxonomy (table)
-- Result: code, label and what taxonomy_nodes has of them; range_share is the share of the range of the finite leaves, NULL where there is no
--   range.
-- NULL: a leaf without a code, after an edit, is left out.
WITH node_spans AS (
    SELECT node_pieces.code AS node, fsum(breadth) / any_value(full_breadth) AS share
    FROM node_pieces
    GROUP BY node_pieces.code
),
counted AS (
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
    counted.node::INTEGER AS node,
    labels.node_label::VARCHAR AS node_label,
    counted.leaves,
    counted.records,
    counted.leaves / total.all_leaves AS leaf_share,
    node_spans.share AS range_share
FROM counted
CROSS JOIN total
JOIN labels ON labels.node = counted.node
LEFT JOIN node_spans ON node_spans.node = counted.node
