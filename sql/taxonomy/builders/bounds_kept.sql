-- Rewrites the bounds of a taxonomy with some of its levels: those intervals stay that start a node of the lowest of them.
-- One row: an interval of the lowest level.
-- Reads: bounds."<column>"
-- Binds: bounds (table), lowest (column), kept (list)
-- Result: the table itself; kept are levels by their old and their new number, in order; lowest has the codes of the first.
-- NULL: lower is NULL of the interval that is open below.
CREATE OR REPLACE TABLE bounds AS
SELECT
    lower,
    each(kept, level_{old} AS level_{new}),
    each(kept, code_{old} AS code_{new})
FROM bounds
QUALIFY row_number() OVER (PARTITION BY lowest ORDER BY lower NULLS FIRST) = 1
