-- How many pairs and patterns there are, in all and with another class.
-- One row: the whole histogram.
-- Reads: distance_patterns
-- Binds: nothing
-- NULL: does not occur.
SELECT
    count(*) AS patterns,
    coalesce(sum("#pairs"), 0)::BIGINT AS pairs,
    coalesce(sum("#pairs") FILTER (WHERE "#class_differs"), 0)::BIGINT AS class_differing_pairs
FROM distance_patterns
