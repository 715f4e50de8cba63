-- How many distance patterns the histogram holds.
-- One row: the whole histogram.
-- Reads: distance_patterns
-- Binds: nothing
-- NULL: does not occur.
SELECT count(*) AS patterns
FROM distance_patterns
