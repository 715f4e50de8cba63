-- The lower bounds of an imported taxonomy of intervals, with the path of each.
-- One row: a level-1 node.
-- Reads: hierarchy_leaves, the taxonomy of one column with a row for each of them
-- Binds: bounds (table), taxonomy (table), paths (columns)
-- Result: the table bounds."<column>": lower, the labels and the codes of the node.
-- NULL: lower is NULL for the interval that is open below.
CREATE OR REPLACE TABLE bounds AS
SELECT DISTINCT
    leaves.lower,
    taxonomy.paths
FROM hierarchy_leaves AS leaves
INNER JOIN taxonomy ON taxonomy.code_0 = leaves.by_value
ORDER BY leaves.lower NULLS FIRST
