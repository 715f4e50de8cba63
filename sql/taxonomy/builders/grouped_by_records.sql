-- Leaves in groups of about as many records: a leaf stands where the middle of its records does, never in two groups.
-- One row: a leaf.
-- Reads: counted_leaves
-- Binds: $quantiles (value)
-- Result: temporary table grouped: value, records, counts, position, node (the number of the group among $quantiles,
--   from 0), place (the middle of the leaf's records, as a share of all, in units of 1 / (2 * all records)), total
--   (those units in all).
-- NULL: not a leaf.
CREATE OR REPLACE TEMP TABLE grouped AS
WITH counted AS (
    SELECT
        value,
        records,
        counts,
        position,
        sum(records) OVER (ORDER BY position) AS up_to,
        sum(records) OVER () AS all_records
    FROM counted_leaves
)
SELECT
    value,
    records,
    counts,
    position,
    (2 * up_to - records)::HUGEINT AS place,
    (2 * all_records)::HUGEINT AS total,
    place * $quantiles::HUGEINT // total AS node
FROM counted
