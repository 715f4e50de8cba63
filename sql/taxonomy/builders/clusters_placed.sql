-- Leaves of a cluster taxonomy with their level-1 node.
-- One row: a leaf.
-- Reads: leaves
-- Binds: $parents (value)
-- Result: temporary table placed: value, position, parent (the code of the level-1 node: $parents, by position).
-- NULL: not a leaf.
CREATE OR REPLACE TEMP TABLE placed AS
SELECT value, position, list_extract($parents::INTEGER[], position) AS parent
FROM leaves
ORDER BY position
