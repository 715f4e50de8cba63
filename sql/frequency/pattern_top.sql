-- The distances of the class-differing patterns that have at least a number of pairs.
-- One row: a pattern.
-- Reads: distance_patterns
-- Binds: attributes (list), $threshold (value)
-- Result: "<column>@distance".
SELECT each(attributes, "{name}@distance")
FROM distance_patterns
WHERE "#class_differs" AND "#pairs" >= $threshold
