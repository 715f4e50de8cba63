-- The nodes of one level of a taxonomy, with what is under each.
-- One row: a node, by its code.
-- Reads: taxonomy."<column>"
-- Binds: taxonomy (table), node_label (column), node (column)
-- Result: code; label; leaves, the codes of its leaves in their order.
-- NULL: its code 0 is no node.
SELECT node AS code, any_value(node_label) AS label, array_agg(code_0 ORDER BY code_0) AS leaves
FROM taxonomy
GROUP BY node
ORDER BY node
