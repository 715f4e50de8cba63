-- Basic beta-likeness: by how much the share of a sensitive value in a class exceeds that in the release, relative to it.
-- One row: an equivalence class.
-- Reads: cells
-- Binds: cells (table)
-- Result: class; reached = max over values of (p - q) / q; a class that has just the shares of the release reaches 0.
-- NULL: a sensitive NULL is a value of its own.
WITH overall AS (
    SELECT value, sum(records) / (SELECT sum(records) FROM cells) AS share
    FROM cells
    GROUP BY value
), sizes AS (
    SELECT class, sum(records) AS records
    FROM cells
    GROUP BY class
)
SELECT cells.class, greatest(max(cells.records / sizes.records / overall.share - 1), 0) AS reached
FROM cells
JOIN sizes ON cells.class = sizes.class
JOIN overall ON cells.value IS NOT DISTINCT FROM overall.value
GROUP BY cells.class
