-- The number of pairs of the last pattern that is needed when the most frequent ones are to cover a number of pairs.
-- One row: that number; patterns with as many pairs are all taken.
-- Reads: distance_patterns
-- Binds: $needed (value), $class_differing (value)
SELECT max(pairs) AS threshold
FROM (
    SELECT "#pairs" AS pairs, sum(sum("#pairs")) OVER (ORDER BY "#pairs" DESC) AS covered
    FROM distance_patterns
    WHERE "#class_differs" OR NOT $class_differing
    GROUP BY "#pairs"
) AS by_frequency
WHERE covered >= $needed
