-- How many distance patterns have at least a number of pairs, and how many pairs they have together.
-- One row: all of them together.
-- Reads: distance_patterns
-- Binds: $threshold (value), $class_differing (value)
SELECT
    count(*) AS patterns,
    count(*) FILTER (WHERE "#class_differs") AS class_differing,
    coalesce(sum("#pairs"), 0)::BIGINT AS pairs
FROM distance_patterns
WHERE "#pairs" >= $threshold AND ("#class_differs" OR NOT $class_differing)
