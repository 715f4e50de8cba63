-- The cuts with open ends in the place of those beyond them.
-- One row: a cut.
-- Reads: ranked_cuts, leaves
-- Binds: $bottom (value), $bottom_text (value), $top (value), $top_text (value), $gapped (value)
-- Result: temporary table ended_cuts: lower, text, rank; cuts under the bottom or above the top are gone, both ends
--   are cuts of level 1 at least. With $gapped, where cuts stand somewhere between two leaves, an end takes the place
--   of the cut between the same leaves.
-- NULL: an end that is not given; not a leaf.
CREATE OR REPLACE TEMP TABLE ended_cuts AS
WITH typed AS (
    SELECT any_value(value) AS example
    FROM leaves
),
read AS (
    SELECT cast_to_type($bottom::VARCHAR, example) AS bottom, cast_to_type($top::VARCHAR, example) AS top
    FROM typed
),
ends AS (
    SELECT
        bottom,
        top,
        CASE WHEN $gapped::BOOLEAN THEN (SELECT min(value) FROM leaves WHERE value >= bottom) END AS first_inside,
        CASE WHEN $gapped::BOOLEAN THEN (SELECT max(value) FROM leaves WHERE value < top) END AS last_inside
    FROM read
),
inside AS (
    SELECT ranked_cuts.lower, ranked_cuts.text, ranked_cuts.rank
    FROM ranked_cuts
    CROSS JOIN ends
    WHERE
        (bottom IS NULL OR (lower > bottom AND (first_inside IS NULL OR lower > first_inside)))
        AND (top IS NULL OR (lower < top AND (last_inside IS NULL OR lower <= last_inside)))
),
with_ends AS (
    SELECT lower, text, rank FROM inside
    UNION ALL
    SELECT
        bottom,
        $bottom_text::VARCHAR,
        greatest(1, coalesce((SELECT max(rank) FROM ranked_cuts WHERE lower = ends.bottom), 1))
    FROM ends
    WHERE bottom IS NOT NULL
    UNION ALL
    SELECT
        top,
        $top_text::VARCHAR,
        greatest(1, coalesce((SELECT max(rank) FROM ranked_cuts WHERE lower = ends.top), 1))
    FROM ends
    WHERE top IS NOT NULL
)
SELECT lower, text, rank
FROM with_ends
