-- The gaps that a bound is looked for in: between neighbouring common leaves, whatever rare leaves lie between.
-- One row: a gap.
-- Reads: stretched, splits
-- Result: temporary table gaps: code_1 (a number), below, above (the bound is above `below`, and not above `above`),
--   exact (the bound is `above` itself: where the rare leaves under it are parted by bounds of their own).
-- NULL: not a leaf.
CREATE OR REPLACE TEMP TABLE gaps AS
WITH split AS (
    SELECT stretch, max(above) AS last_above
    FROM splits
    GROUP BY stretch
),
common_leaves AS (
    SELECT stretch AS number, value AS above, lag(value) OVER (ORDER BY stretch) AS common_below
    FROM stretched
    WHERE common
)
SELECT
    number::INTEGER AS code_1,
    coalesce(split.last_above, common_below) AS below,
    above,
    split.stretch IS NOT NULL AS exact
FROM common_leaves
LEFT JOIN split ON split.stretch = common_leaves.number - 1
WHERE common_below IS NOT NULL OR split.stretch IS NOT NULL
