-- The leaves that open a group of neighbours.
-- One row: a leaf that opens a group, but for the first.
-- Reads: grouped
-- Binds: nothing
-- Result: temporary table openings: code_1 (from 2), below (the last leaf of the lower group), above (the first leaf of the
--   upper one), records (of `above`), place and place_below (where both leaves stand).
-- NULL: not a leaf.
CREATE OR REPLACE TEMP TABLE openings AS
WITH neighbours AS (
    SELECT
        position,
        value AS above,
        records,
        node,
        place,
        lag(value) OVER along AS below,
        lag(node) OVER along AS node_below,
        lag(place) OVER along AS place_below
    FROM grouped
    WINDOW along AS (ORDER BY position)
)
SELECT
    (row_number() OVER (ORDER BY position) + 1)::INTEGER AS code_1,
    below,
    above,
    records,
    place,
    place_below
FROM neighbours
WHERE node <> node_below
