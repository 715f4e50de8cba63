-- The rows of a taxonomy of intervals as they are exported, with the bounds that unseen values are found by.
-- One row: one leaf, or an interval that holds none, so that its bound survives.
-- Reads: the taxonomy of one column, its lower bounds with their paths
-- Binds: taxonomy (table), bounds (table), levels (columns)
-- Result: temporary table exported: the leaf's value, the label at each level, lower_bound of the level-1 interval,
--   "#node" and "#leaf" (the order of rows).
-- NULL: the value where an interval has no leaf; the lower bound of the first interval, which is open.
CREATE OR REPLACE TEMP TABLE exported AS
SELECT
    taxonomy.value,
    taxonomy.levels,
    bounds.lower AS lower_bound,
    taxonomy.code_1 AS "#node",
    taxonomy.code_0 AS "#leaf"
FROM taxonomy
LEFT JOIN bounds ON bounds.code_1 = taxonomy.code_1
UNION ALL
SELECT
    NULL,
    bounds.levels,
    bounds.lower,
    bounds.code_1,
    0
FROM bounds
ANTI JOIN taxonomy ON taxonomy.code_1 = bounds.code_1
