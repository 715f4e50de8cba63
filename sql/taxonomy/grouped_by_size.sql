-- Leaves in groups of neighbours; those beyond an open end are one group.
-- One row: a leaf.
-- Reads: leaves
-- Binds: $size (value), $bottom (value), $top (value)
-- Result: temporary table grouped: value, records, position, node (the group's number, from 0), place (the same).
-- NULL: an end that is not given; not a leaf.
CREATE OR REPLACE TEMP TABLE grouped AS
WITH sided AS (
    SELECT
        value,
        records,
        position,
        CASE
            WHEN value < cast_to_type($bottom::VARCHAR, value) THEN 0
            WHEN value >= cast_to_type($top::VARCHAR, value) THEN 2
            ELSE 1
        END AS side
    FROM leaves
),
counted AS (
    SELECT value, records, position, side, row_number() OVER (PARTITION BY side ORDER BY position) AS place
    FROM sided
),
sides AS (
    SELECT count(*) FILTER (WHERE side = 0) AS under, count(*) FILTER (WHERE side = 1) AS inside
    FROM sided
)
SELECT
    value,
    records,
    position,
    CASE side
        WHEN 0 THEN 0
        WHEN 1 THEN (under > 0)::BIGINT + (counted.place - 1) // $size::BIGINT
        ELSE (under > 0)::BIGINT + (inside + $size::BIGINT - 1) // $size::BIGINT
    END AS node,
    node AS place
FROM counted
CROSS JOIN sides
