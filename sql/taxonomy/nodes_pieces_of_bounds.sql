-- The intervals of a taxonomy with how much of the range of the leaves they cover.
-- One row: a level-1 interval.
-- Reads: bounds."<column>", node_leaves
-- Binds: bounds (table), codes (columns)
-- Result: temporary table node_pieces: breadth (within the finite leaves), full_breadth (of all of them; NULL where
--   there is no range), the codes of its path.
-- NULL: a lower bound that is open.
CREATE OR REPLACE TEMP TABLE node_pieces AS
WITH edges AS (
    SELECT min(number) AS lowest, max(number) AS highest
    FROM node_leaves
),
placed AS (
    SELECT
        bounds.lower,
        CASE
            WHEN typeof(bounds.lower) = 'DATE' OR starts_with(typeof(bounds.lower), 'TIMESTAMP')
                THEN epoch(try_cast(bounds.lower AS TIMESTAMP))
            ELSE try_cast(bounds.lower AS DOUBLE)
        END AS number,
        bounds.codes
    FROM bounds
),
starts AS (
    SELECT
        CASE WHEN lower IS NULL THEN NULL ELSE coalesce(number, 'inf'::DOUBLE) END AS start,
        lead(number) OVER (ORDER BY lower NULLS FIRST) AS stop,
        placed.codes
    FROM placed
)
SELECT
    least(greatest(coalesce(stop, highest), lowest), highest)
    - least(greatest(coalesce(start, lowest), lowest), highest) AS breadth,
    nullif(highest - lowest, 0) AS full_breadth,
    starts.codes
FROM starts
CROSS JOIN edges
