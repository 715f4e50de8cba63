-- The gaps between neighbouring groups of as many leaves.
-- One row: a gap.
-- Reads: openings
-- Binds: $label_k (value), $multiples (value)
-- Result: temporary table gaps: code_1 (the upper group), below (the last leaf of the lower group), above (the first leaf of
--   the upper one), touches (whether enough records hold `above` for it to be a bound itself), rank (the gap parts groups at
--   the levels 1 to rank: a node of level l is $multiples[l] groups).
-- NULL: not a leaf.
CREATE OR REPLACE TEMP TABLE gaps AS
SELECT
    code_1,
    below,
    above,
    records >= $label_k::BIGINT AS touches,
    len(
        list_filter(
            $multiples::BIGINT[],
            lambda multiple: place // multiple <> place_below // multiple
        )
    )::INTEGER AS rank
FROM openings
