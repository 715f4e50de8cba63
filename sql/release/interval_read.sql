-- The intervals of a column that are no nodes, as a release by classes shows them.
-- One row: an interval.
-- Reads: the intervals of the column
-- Binds: intervals (table), $root (value)
-- Result: first_code, last_code (finest intervals), node_level, over the root's; by level.
SELECT first_code, last_code, node_level
FROM intervals
WHERE node_level > $root::INTEGER
ORDER BY node_level, first_code
