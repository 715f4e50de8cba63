-- How far the nodes of one level reach, by their intervals.
-- One row: a node of the level.
-- Reads: node_pieces
-- Binds: code (column)
-- Result: temporary table node_spans: node, share (of the range of the finite leaves; NULL where there is no range).
-- NULL: a share where there is no range.
CREATE OR REPLACE TEMP TABLE node_spans AS
SELECT node_pieces.code AS node, fsum(breadth) / any_value(full_breadth) AS share
FROM node_pieces
GROUP BY node_pieces.code
