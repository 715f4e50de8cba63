-- Enhanced beta-likeness: as basic, and no share may exceed q * (1 - ln q) whatever beta is.
-- One row: an equivalence class.
-- Reads: cells
-- Binds: cells (table)
-- Result: class; reached = max over the values that concern of (p - q) / q, or 0; infinite if that exceeds -ln q for a
--   value, because then no beta is large enough. Values are compared within 1e-12.
-- NULL: a sensitive NULL is a value of its own.
WITH sizes AS (
    SELECT class, round(sum(weight)) AS members
    FROM cells
    GROUP BY class
), overall AS (
    SELECT value, sum(holders) / (SELECT sum(members) FROM sizes) AS share
    FROM cells
    GROUP BY value
), gains AS (
    SELECT
        cells.class,
        cells.concerning,
        cells.holders / sizes.members / overall.share - 1 AS gain,
        -ln(overall.share) AS allowed
    FROM cells
    JOIN sizes ON cells.class = sizes.class
    JOIN overall ON cells.value IS NOT DISTINCT FROM overall.value
)
SELECT
    class,
    CASE
        WHEN bool_or(concerning AND gain > allowed + 1e-12) THEN 'infinity'::DOUBLE
        ELSE greatest(coalesce(max(gain) FILTER (WHERE concerning), 0), 0)
    END AS reached
FROM gains
GROUP BY class
