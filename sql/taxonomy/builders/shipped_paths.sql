-- The paths of the values that a shipped taxonomy knows.
-- One row: a value with a path.
-- Reads: labelled (value, level_1 and so on)
-- Binds: levels (list)
-- Result: value, level_1 and so on.
-- NULL: has no path.
SELECT value, each(levels, level_{level})
FROM labelled
