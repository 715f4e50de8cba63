-- Writes the bounds of a taxonomy of intervals: where each interval of level 1 starts, with its path.
-- One row: an interval of level 1.
-- Reads: starts, paths
-- Binds: bounds (table), levels (list)
-- Result: table bounds: lower, level_1 and so on, code_1 and so on.
-- NULL: lower is NULL of the interval that is open below.
CREATE OR REPLACE TABLE bounds AS
SELECT
    starts.lower,
    each(levels, paths.level_{level}),
    each(levels, paths.code_{level})
FROM starts
JOIN paths ON paths.code_1 = starts.position + 1
