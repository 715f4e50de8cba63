-- Notes how wide the nodes of taxonomies are: how far each reaches by its leaves, or by its intervals where it has such.
-- One row: a node that has leaves.
-- Reads: node_leaves (a row for each leaf and level above it), node_pieces (for each interval and level above it)
-- Result: rows of taxonomy_nodes; range_share is the share of the range of the finite leaves, NULL where there is no
--   range.
-- NULL: a leaf without a code, after an edit, is left out; a number is NULL of a leaf that is no finite number, start of
--   the interval that is open below.
INSERT INTO taxonomy_nodes
WITH totals AS (
    SELECT
        column_name,
        level,
        count(*) AS all_leaves,
        min(number) AS lowest,
        max(number) AS highest
    FROM node_leaves
    GROUP BY column_name, level
),
spans AS (
    SELECT
        column_name,
        level,
        code,
        start,
        lead(start) OVER (PARTITION BY column_name, level ORDER BY place) AS stop
    FROM node_pieces
),
breadths AS (
    SELECT
        spans.column_name,
        spans.level,
        spans.code,
        least(greatest(coalesce(spans.stop, totals.highest), totals.lowest), totals.highest)
        - least(greatest(coalesce(spans.start, totals.lowest), totals.lowest), totals.highest) AS breadth,
        nullif(totals.highest - totals.lowest, 0) AS full_breadth
    FROM spans
    INNER JOIN totals ON totals.column_name = spans.column_name AND totals.level = spans.level
),
shares AS (
    SELECT column_name, level, code, fsum(breadth) / any_value(full_breadth) AS share
    FROM breadths
    GROUP BY column_name, level, code
),
counted AS (
    SELECT
        column_name,
        level,
        code,
        any_value(label) AS label,
        any_value(bounded) AS bounded,
        count(*) AS leaves,
        sum(node_records)::BIGINT AS records,
        max(number) - min(number) AS breadth
    FROM node_leaves
    WHERE code IS NOT NULL
    GROUP BY column_name, level, code
)
SELECT
    counted.column_name,
    counted.level,
    counted.code,
    counted.label,
    counted.leaves,
    counted.records,
    counted.leaves / totals.all_leaves AS leaf_share,
    CASE
        WHEN counted.bounded THEN shares.share
        WHEN totals.highest > totals.lowest THEN counted.breadth / (totals.highest - totals.lowest)
    END AS range_share
FROM counted
INNER JOIN totals ON totals.column_name = counted.column_name AND totals.level = counted.level
LEFT JOIN shares
    ON shares.column_name = counted.column_name AND shares.level = counted.level AND shares.code = counted.code
ORDER BY counted.column_name, counted.level, counted.code
