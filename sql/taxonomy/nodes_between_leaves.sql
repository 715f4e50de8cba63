-- How far the leaves of each node reach.
-- One row: a node above the leaves.
-- Reads: node_leaves
-- Binds: codes (columns)
-- Result: temporary table node_spans: level, node, share (of the range of the finite leaves; NULL where there is no
--   range).
-- NULL: a leaf that is no finite number.
CREATE OR REPLACE TEMP TABLE node_spans AS
WITH edges AS (
    SELECT max(number) - min(number) AS breadth
    FROM node_leaves
),
placed AS (
    SELECT
        generate_subscripts([codes], 1)::INTEGER AS level,
        unnest([codes]) AS node,
        number
    FROM node_leaves
)
SELECT
    placed.level,
    placed.node,
    CASE WHEN any_value(breadth) > 0 THEN (max(number) - min(number)) / any_value(breadth) END AS share
FROM placed
CROSS JOIN edges
GROUP BY placed.level, placed.node
