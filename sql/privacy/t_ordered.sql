-- t-closeness with ordered distance: sum over i of |P_i - Q_i| / (m - 1), P and Q being the cumulated shares of the
-- class and of the release over the m values in their order.
-- One row: an equivalence class.
-- Reads: cells, ranks
-- Binds: cells (table), ranks (table)
-- Result: class; reached. From one value of a class to its next, P stays the same and Q grows: the sum over such a
--   step is split where Q passes P, and each part is a difference of sums that ranks holds. So values that a class
--   lacks cost no rows.
-- NULL: a sensitive NULL is a value of its own, after the largest.
WITH placed AS (
    SELECT cells.class, cells.weight, ranks.rank, ranks.before
    FROM cells
    JOIN ranks ON cells.value IS NOT DISTINCT FROM ranks.value
), steps AS (
    SELECT
        class,
        rank AS first,
        before,
        lead(rank, 1, (SELECT max(rank) + 1 FROM ranks)) OVER (PARTITION BY class ORDER BY rank) - 1 AS last,
        row_number() OVER (PARTITION BY class ORDER BY rank) = 1 AS opens,
        sum(weight) OVER (PARTITION BY class ORDER BY rank) / sum(weight) OVER (PARTITION BY class) AS cumulated
    FROM placed
), ended AS (
    SELECT steps.class, steps.first, steps.last, steps.before, steps.opens, steps.cumulated, ranks.after
    FROM steps
    JOIN ranks ON steps.last = ranks.rank
), split AS (
    SELECT
        ended.class,
        ended.first,
        ended.last,
        ended.before,
        ended.after,
        ended.opens,
        ended.cumulated,
        greatest(ended.first - 1, least(ended.last, coalesce(ranks.rank, 0))) AS passed,
        greatest(ended.before, least(ended.after, coalesce(ranks.after, 0))) AS passed_sum
    FROM ended
    ASOF LEFT JOIN ranks ON ended.cumulated > ranks.cumulated
)
SELECT
    class,
    sum(
        cumulated * (passed - first + 1) - (passed_sum - before)
        + (after - passed_sum) - cumulated * (last - passed)
        + CASE WHEN opens THEN before ELSE 0 END
    ) / greatest((SELECT max(rank) FROM ranks) - 1, 1) AS reached
FROM split
GROUP BY class
