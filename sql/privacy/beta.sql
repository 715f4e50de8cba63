-- Basic beta-likeness: by how much the share of a sensitive value in a class exceeds that in the release, relative to
-- it.
-- One row: an equivalence class.
-- Reads: cells
-- Binds: cells (table)
-- Result: class; reached = max over the values that concern of (p - q) / q; 0 if no share is larger than in the
--   release.
-- NULL: a sensitive NULL is a value of its own.
WITH sizes AS (
    SELECT class, round(sum(weight)) AS members
    FROM cells
    GROUP BY class
), overall AS (
    SELECT value, sum(holders) / (SELECT sum(members) FROM sizes) AS share
    FROM cells
    GROUP BY value
)
SELECT
    cells.class,
    greatest(coalesce(max(cells.holders / sizes.members / overall.share - 1) FILTER (WHERE cells.concerning), 0), 0) AS reached
FROM cells
JOIN sizes ON cells.class = sizes.class
JOIN overall ON cells.value IS NOT DISTINCT FROM overall.value
GROUP BY cells.class
