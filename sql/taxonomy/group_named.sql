-- Effect: gives a node of a taxonomy the name that its owner chose.
-- One row: a leaf under the node.
-- Reads: taxonomy."<column>"
-- Binds: taxonomy (table), node_label (column), node (column), $code (value), $name (value)
-- NULL: its code 0 is no node.
UPDATE taxonomy
SET node_label = $name
WHERE node = $code
