-- Leaves in groups of neighbours that count; those beyond an open end are one group.
-- One row: a leaf.
-- Reads: counted_leaves
-- Binds: $size (value), $bottom (value), $top (value)
-- Result: temporary table grouped: value, records, counts, position, node (the group's number, from 0), place (the
--   same). A leaf that does not count is in the group of the last that does, and before any of them in the first.
-- NULL: an end that is not given; not a leaf.
CREATE OR REPLACE TEMP TABLE grouped AS
WITH sided AS (
    SELECT
        value,
        records,
        counts,
        position,
        CASE
            WHEN value < cast_to_type($bottom::VARCHAR, value) THEN 0
            WHEN value >= cast_to_type($top::VARCHAR, value) THEN 2
            ELSE 1
        END AS side
    FROM counted_leaves
),
numbered AS (
    SELECT
        value,
        records,
        counts,
        position,
        side,
        greatest(sum(counts) OVER (PARTITION BY side ORDER BY position), 1)::BIGINT AS place
    FROM sided
),
sides AS (
    SELECT
        count(*) FILTER (WHERE side = 0) AS under,
        greatest(sum(counts) FILTER (WHERE side = 1), (count(*) FILTER (WHERE side = 1) > 0)::BIGINT)::BIGINT AS inside
    FROM sided
)
SELECT
    value,
    records,
    counts,
    position,
    CASE side
        WHEN 0 THEN 0
        WHEN 1 THEN (under > 0)::BIGINT + (numbered.place - 1) // $size::BIGINT
        ELSE (under > 0)::BIGINT + (coalesce(inside, 0) + $size::BIGINT - 1) // $size::BIGINT
    END AS node,
    node AS place
FROM numbered
CROSS JOIN sides
