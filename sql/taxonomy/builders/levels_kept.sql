-- Rewrites a taxonomy with some of its levels.
-- One row: a leaf.
-- Reads: taxonomy."<column>"
-- Binds: taxonomy (table), kept (list)
-- Result: the table itself; kept are levels above the leaf by their old and their new number, in order.
-- NULL: not a leaf.
CREATE OR REPLACE TABLE taxonomy AS
SELECT
    value,
    each(kept, level_{old} AS level_{new}),
    code_0,
    each(kept, code_{old} AS code_{new})
FROM taxonomy
ORDER BY code_0
