-- Reads the keys of bits: the distance of an attribute is the number of its levels at which a pair differs.
-- One row: a key with $least pairs or more.
-- Reads: pattern_blocks, merged
-- Binds: attributes (list), differs (list), $least (value)
-- Result: temporary table distance_patterns: "<column>@distance", "#class_differs", "#pairs", and how many may be "#missed".
CREATE OR REPLACE TEMPORARY TABLE distance_patterns AS
SELECT
    each(attributes, (sum_of(levels, ((key_{key} >> {flag}) & 1)))::UTINYINT AS "{name}@distance"),
    each(differs, ((key_{key} >> {flag}) & 1) = 1) AS "#class_differs",
    pairs AS "#pairs",
    missed AS "#missed"
FROM pattern_blocks
WHERE pairs >= $least
