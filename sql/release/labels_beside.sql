-- The levels and labels of the nodes that a column still shows beside typical values, in their order.
-- One row: a label at a level.
-- Reads: assigned_nodes
-- Binds: node_level (column), node_label (column), typical_code (column)
-- Result: node_level, node_label.
-- NULL: a label of its own, last.
SELECT DISTINCT node_level, node_label
FROM assigned_nodes
WHERE typical_code < 0
ORDER BY node_label, node_level
