-- The patterns that are frequent enough.
-- One row: all of them together.
-- Reads: distance_patterns
-- Binds: $threshold (value), $class_differing (value)
-- NULL: does not occur.
SELECT
    count(*) AS patterns,
    count(*) FILTER (WHERE "#class_differs") AS class_differing,
    coalesce(sum("#pairs"), 0)::BIGINT AS pairs
FROM distance_patterns
WHERE "#pairs" >= $threshold AND ("#class_differs" OR NOT $class_differing)
