-- How many nodes a level of a taxonomy has.
-- One row: the level.
-- Reads: taxonomy."<column>"
-- Binds: taxonomy (table), node (column)
-- Result: nodes; 0 where the taxonomy has no leaf. Intervals that no leaf lies in are not counted.
-- NULL: its code 0 is no node.
SELECT count(DISTINCT node)::INTEGER AS nodes
FROM taxonomy
