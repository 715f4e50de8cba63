-- Enhanced beta-likeness: as basic, and no share may exceed q * (1 - ln q) whatever beta is.
-- One row: an equivalence class.
-- Reads: cells
-- Binds: cells (table)
-- Result: class; reached = max over values of (p - q) / q; infinite if that exceeds -ln q for a value, for then no beta is
--   large enough. Values are compared within 1e-12.
-- NULL: a sensitive NULL is a value of its own.
WITH overall AS (
    SELECT value, sum(records) / (SELECT sum(records) FROM cells) AS share
    FROM cells
    GROUP BY value
), sizes AS (
    SELECT class, sum(records) AS records
    FROM cells
    GROUP BY class
), gains AS (
    SELECT cells.class, cells.records / sizes.records / overall.share - 1 AS gain, -ln(overall.share) AS allowed
    FROM cells
    JOIN sizes ON cells.class = sizes.class
    JOIN overall ON cells.value IS NOT DISTINCT FROM overall.value
)
SELECT class, CASE WHEN bool_or(gain > allowed + 1e-12) THEN 'infinity'::DOUBLE ELSE greatest(max(gain), 0) END AS reached
FROM gains
GROUP BY class
