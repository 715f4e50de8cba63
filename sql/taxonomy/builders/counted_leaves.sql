-- The leaves of a column with those that count where groups of as many leaves are made.
-- One row: a leaf.
-- Reads: stretched, splits
-- Result: temporary table counted_leaves: value, records, position, counts (1 for a common leaf, and for the rare
--   leaves of a stretch that bounds part; 0 for other rare leaves, so that they move no group).
-- NULL: not a leaf.
CREATE OR REPLACE TEMP TABLE counted_leaves AS
SELECT
    stretched.value,
    stretched.records,
    stretched.position,
    CASE WHEN stretched.common OR split.stretch IS NOT NULL THEN 1 ELSE 0 END AS counts
FROM stretched
LEFT JOIN (SELECT DISTINCT stretch FROM splits) AS split ON split.stretch = stretched.stretch
