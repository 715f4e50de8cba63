-- The labels over the values themselves that a release by classes shows in a column.
-- One row: a node over level 0.
-- Reads: assigned_nodes
-- Binds: node_level (column), node_label (column)
-- Result: shown_level, shown_label.
-- NULL: is level 0, and no label.
SELECT node_level AS shown_level, node_label AS shown_label
FROM assigned_nodes
WHERE node_level > 0
GROUP BY node_level, node_label
ORDER BY shown_label, shown_level
