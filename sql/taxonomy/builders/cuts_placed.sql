-- The bounds that labels may show, with what lies under each.
-- One row: a bound.
-- Reads: cuts, counted_leaves
-- Result: temporary table placed_cuts: lower, text, leaves_under (those that count), records_under.
-- NULL: not a leaf.
CREATE OR REPLACE TEMP TABLE placed_cuts AS
WITH counted AS (
    SELECT
        value,
        sum(counts) OVER (ORDER BY position)::BIGINT AS leaves,
        sum(records) OVER (ORDER BY position)::HUGEINT AS records
    FROM counted_leaves
)
SELECT cuts.lower, cuts.text, counted.leaves AS leaves_under, counted.records AS records_under
FROM cuts
ASOF JOIN counted ON cuts.lower > counted.value
