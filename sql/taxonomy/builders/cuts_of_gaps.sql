-- The cuts between groups of neighbouring leaves: for each parting the nearest bound that labels may show.
-- One row: a cut.
-- Reads: partings, placed_cuts
-- Binds: $by_records (value), $bottom (value), $top (value)
-- Result: temporary table ranked_cuts: lower, text (the cut in a label), rank (it is a cut at the levels 1 to rank).
--   Nearness is counted in records or in leaves that count; of two as near the lower one is taken. A parting beside
--   an end that the owner asked for moves nowhere.
-- NULL: not a leaf; an end that is not given.
CREATE OR REPLACE TEMP TABLE ranked_cuts AS
WITH spots AS (
    SELECT lower, text, CASE WHEN $by_records::BOOLEAN THEN records_under ELSE leaves_under END AS spot
    FROM placed_cuts
),
wanted AS (
    SELECT
        below,
        above,
        rank,
        CASE WHEN $by_records::BOOLEAN THEN records_under ELSE leaves_under END AS spot,
        coalesce(cast_to_type($bottom::VARCHAR, above) > below AND cast_to_type($bottom::VARCHAR, above) <= above, FALSE)
        OR coalesce(cast_to_type($top::VARCHAR, above) > below AND cast_to_type($top::VARCHAR, above) <= above, FALSE)
            AS at_end
    FROM partings
),
nearest AS (
    SELECT
        wanted.below,
        wanted.above,
        wanted.rank,
        wanted.at_end,
        CASE
            WHEN over.spot IS NULL OR wanted.spot - under.spot <= over.spot - wanted.spot THEN under.lower
            ELSE over.lower
        END AS lower,
        CASE
            WHEN over.spot IS NULL OR wanted.spot - under.spot <= over.spot - wanted.spot THEN under.text
            ELSE over.text
        END AS text
    FROM wanted
    ASOF LEFT JOIN spots AS under ON wanted.spot >= under.spot
    ASOF LEFT JOIN spots AS over ON wanted.spot <= over.spot
)
SELECT lower, any_value(text) AS text, max(rank) AS rank
FROM nearest
WHERE lower IS NOT NULL AND (NOT at_end OR (lower > below AND lower <= above))
GROUP BY lower
