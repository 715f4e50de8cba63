-- How far the leaves of each node of one level reach.
-- One row: a node of the level.
-- Reads: node_leaves
-- Binds: code (column)
-- Result: temporary table node_spans: node, share (of the range of the finite leaves; NULL where there is no range).
-- NULL: a leaf that is no finite number.
CREATE OR REPLACE TEMP TABLE node_spans AS
WITH edges AS (
    SELECT max(number) - min(number) AS breadth
    FROM node_leaves
)
SELECT
    node_leaves.code AS node,
    CASE WHEN any_value(breadth) > 0 THEN (max(number) - min(number)) / any_value(breadth) END AS share
FROM node_leaves
CROSS JOIN edges
GROUP BY node_leaves.code
