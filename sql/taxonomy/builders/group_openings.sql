-- The leaves that open a group of neighbours.
-- One row: a leaf that opens a group, but for the first.
-- Reads: grouped
-- Result: temporary table openings: leaves_under (how many leaves that count lie under it), records_under (how many
--   records lie there), below (the last leaf of the lower group), above (the first leaf of the upper one), place and
--   place_below (where both leaves stand).
-- NULL: not a leaf.
CREATE OR REPLACE TEMP TABLE openings AS
WITH neighbours AS (
    SELECT
        value AS above,
        node,
        place,
        lag(value) OVER along AS below,
        lag(node) OVER along AS node_below,
        lag(place) OVER along AS place_below,
        (sum(counts) OVER along - counts)::BIGINT AS leaves_under,
        (sum(records) OVER along - records)::HUGEINT AS records_under
    FROM grouped
    WINDOW along AS (ORDER BY position)
)
SELECT
    leaves_under,
    records_under,
    below,
    above,
    place,
    place_below
FROM neighbours
WHERE node <> node_below
