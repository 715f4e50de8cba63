-- delta-disclosure privacy: how far the share of a sensitive value in a class is from that in the release, as a ratio.
-- One row: an equivalence class.
-- Reads: cells
-- Binds: cells (table), $log (value)
-- Result: class; reached = max over the values that concern of |log(p / q)|, to the base $log, or e if it is NULL;
--   infinite in a class that lacks such a value of the release; 0 if the release has none.
-- NULL: a sensitive NULL is a value of its own.
WITH sizes AS (
    SELECT class, round(sum(weight)) AS members
    FROM cells
    GROUP BY class
), overall AS (
    SELECT value, bool_or(concerning) AS concerning, sum(holders) / (SELECT sum(members) FROM sizes) AS share
    FROM cells
    GROUP BY value
)
SELECT
    cells.class,
    CASE
        WHEN count(*) FILTER (WHERE cells.concerning) < (SELECT count(*) FILTER (WHERE concerning) FROM overall)
            THEN 'infinity'::DOUBLE
        ELSE coalesce(max(abs(ln(cells.holders / sizes.members / overall.share))) FILTER (WHERE cells.concerning), 0)
            / coalesce(ln($log::DOUBLE), 1)
    END AS reached
FROM cells
JOIN sizes ON cells.class = sizes.class
JOIN overall ON cells.value IS NOT DISTINCT FROM overall.value
GROUP BY cells.class
