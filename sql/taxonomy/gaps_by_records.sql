-- The gaps between neighbouring groups of about as many records.
-- One row: a gap.
-- Reads: openings, grouped
-- Binds: $label_k (value), $quantiles (value)
-- Result: temporary table gaps: code_1 (the upper group), below (the last leaf of the lower group), above (the first leaf of
--   the upper one), touches (whether enough records hold `above` for it to be a bound itself), rank (the gap parts groups at
--   the levels 1 to rank: level l has $quantiles[l] groups).
-- NULL: not a leaf.
CREATE OR REPLACE TEMP TABLE gaps AS
SELECT
    code_1,
    below,
    above,
    records >= $label_k::BIGINT AS touches,
    len(
        list_filter(
            $quantiles::HUGEINT[],
            lambda groups: place * groups // total <> place_below * groups // total
        )
    )::INTEGER AS rank
FROM openings
CROSS JOIN (SELECT any_value(total) AS total FROM grouped) AS counted
