-- The intervals of a taxonomy with their share of the range of the leaves.
-- One row: a level-1 interval.
-- Reads: bounds."<column>", node_leaves
-- Binds: bounds (table), codes (columns)
-- Result: temporary table node_pieces: share (of the range of the finite leaves, 0 to 1; NULL where there is no range), the
--   codes of its path.
-- NULL: a lower bound that is open.
CREATE OR REPLACE TEMP TABLE node_pieces AS
WITH edges AS (
    SELECT min(number) AS lowest, max(number) AS highest
    FROM node_leaves
),
starts AS (
    SELECT
        CASE WHEN lower IS NULL THEN NULL ELSE coalesce(try_cast(lower AS DOUBLE), 'inf'::DOUBLE) END AS start,
        lead(try_cast(lower AS DOUBLE)) OVER (ORDER BY lower NULLS FIRST) AS stop,
        bounds.codes
    FROM bounds
)
SELECT
    CASE
        WHEN highest > lowest
            THEN (
                least(greatest(coalesce(stop, highest), lowest), highest)
                - least(greatest(coalesce(start, lowest), lowest), highest)
            ) / (highest - lowest)
    END AS share,
    starts.codes
FROM starts
CROSS JOIN edges
