-- How many patterns may have a number of pairs or more without being counted in full.
-- One row: all of them together.
-- Reads: distance_patterns
-- Binds: $threshold (value), $class_differing (value)
SELECT count(*) AS patterns
FROM distance_patterns
WHERE "#missed" > 0 AND "#pairs" + "#missed" >= $threshold AND ("#class_differs" OR NOT $class_differing)
