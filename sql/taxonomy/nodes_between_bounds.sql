-- How far nodes reach, by their intervals.
-- One row: a node above the leaves.
-- Reads: node_pieces
-- Binds: codes (columns)
-- Result: temporary table node_spans: level, node, share (of the range of the finite leaves; NULL where there is no
--   range).
-- NULL: a share where there is no range.
CREATE OR REPLACE TEMP TABLE node_spans AS
WITH placed AS (
    SELECT
        generate_subscripts([codes], 1)::INTEGER AS level,
        unnest([codes]) AS node,
        breadth,
        full_breadth
    FROM node_pieces
)
SELECT level, node, fsum(breadth) / any_value(full_breadth) AS share
FROM placed
GROUP BY level, node
