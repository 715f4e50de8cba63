-- Leaves with their level-1 interval.
-- One row: a leaf.
-- Reads: leaves, starts
-- Result: temporary table placed: value, position, parent (the code of the level-1 node).
-- NULL: not a leaf; the open start holds what is under all others.
CREATE OR REPLACE TEMP TABLE placed AS
SELECT leaves.value, leaves.position, (coalesce(closed.position, 0) + 1)::INTEGER AS parent
FROM leaves
ASOF LEFT JOIN (SELECT position, lower FROM starts WHERE lower IS NOT NULL) AS closed ON leaves.value >= closed.lower
ORDER BY leaves.position
