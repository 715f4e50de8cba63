-- How many nodes of a column's taxonomy the source has values of, by level.
-- One row: the whole column.
-- Reads: the column's lookup
-- Binds: codes (columns), lookup (table)
-- Result: the different nodes at each level, in the order of the codes.
-- NULL: is no node.
SELECT count(DISTINCT COLUMNS(*))
FROM (SELECT codes FROM lookup)
