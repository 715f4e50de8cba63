-- Where groups of about as many records part, and how far up.
-- One row: two neighbouring groups.
-- Reads: openings, grouped
-- Binds: $quantiles (value)
-- Result: temporary table partings: leaves_under (those that count), records_under, below and above (the leaves
--   beside it), rank (it parts groups at the levels 1 to rank: level l has $quantiles[l] groups).
-- NULL: not a leaf.
CREATE OR REPLACE TEMP TABLE partings AS
SELECT
    leaves_under,
    records_under,
    below,
    above,
    len(
        list_filter(
            $quantiles::HUGEINT[],
            lambda groups: place * groups // total <> place_below * groups // total
        )
    )::INTEGER AS rank
FROM openings
CROSS JOIN (SELECT any_value(total) AS total FROM grouped) AS counted
