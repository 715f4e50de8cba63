-- The rows of a taxonomy of intervals as they are exported, with the bounds that unseen values are found by.
-- One row: one leaf.
-- Reads: the taxonomy of one column, its lower bounds
-- Binds: taxonomy (table), bounds (table), fields (columns)
-- Result: temporary table exported: the leaf's value, its label at each level, lower_bound of its level-1 interval,
--   "#node" and "#leaf" (the order of rows).
-- NULL: the lower bound of the first interval, which is open.
CREATE OR REPLACE TEMP TABLE exported AS
SELECT
    taxonomy.fields,
    bounds.lower AS lower_bound,
    taxonomy.code_1 AS "#node",
    taxonomy.code_0 AS "#leaf"
FROM taxonomy
LEFT JOIN bounds ON bounds.code_1 = taxonomy.code_1
