-- How many nodes of each level would hold leaves.
-- One row: a level at which there is a cut.
-- Reads: leaves, ended_cuts
-- Result: level, nodes (those with at least one leaf that is finite); by level. Two leaves are apart at a level if a cut of that level
--   stands between them.
-- NULL: not a leaf.
WITH held AS (
    SELECT DISTINCT coalesce(cut.position, 0) AS position
    FROM leaves
    ASOF LEFT JOIN (SELECT lower, row_number() OVER (ORDER BY lower) AS position FROM ended_cuts) AS cut
        ON leaves.value >= cut.lower
    WHERE leaves.value::VARCHAR NOT IN ('-inf', 'inf', 'nan')
),
numbered AS (
    SELECT rank, row_number() OVER (ORDER BY lower) AS position
    FROM ended_cuts
),
parted AS (
    SELECT held.position, max(numbered.rank) AS rank
    FROM numbered
    ASOF JOIN held ON numbered.position <= held.position
    WHERE held.position > (SELECT min(position) FROM held)
    GROUP BY held.position
),
ranked AS (
    SELECT rank, count(*) AS partings
    FROM parted
    GROUP BY rank
)
SELECT level, coalesce(sum(partings) FILTER (WHERE rank >= level), 0)::BIGINT + 1 AS nodes
FROM (SELECT unnest(range(1, (SELECT coalesce(max(rank), 0) FROM ended_cuts) + 1)) AS level) AS levels
LEFT JOIN ranked ON TRUE
GROUP BY level
ORDER BY level
