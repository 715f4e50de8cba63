-- At which levels a release by classes shows a column.
-- One row: a level.
-- Reads: assigned_nodes
-- Binds: node_level (column)
-- Result: shown_level, classes (assigned ones).
-- NULL: a class of nothing but NULL is at level 0.
SELECT node_level AS shown_level, count(*) AS classes
FROM assigned_nodes
GROUP BY node_level
ORDER BY node_level
