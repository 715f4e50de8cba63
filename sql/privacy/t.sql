-- t-closeness with equal distance: half the sum of the differences between the shares in a class and in the release.
-- One row: an equivalence class.
-- Reads: cells
-- Binds: cells (table)
-- Result: class; reached. What shares exceed by is as much as others fall short by: only values of the class are read.
-- NULL: a sensitive NULL is a value of its own.
WITH overall AS (
    SELECT value, sum(weight) / (SELECT sum(weight) FROM cells) AS share
    FROM cells
    GROUP BY value
), sizes AS (
    SELECT class, sum(weight) AS weight
    FROM cells
    GROUP BY class
)
SELECT cells.class, sum(greatest(cells.weight / sizes.weight - overall.share, 0)) AS reached
FROM cells
JOIN sizes ON cells.class = sizes.class
JOIN overall ON cells.value IS NOT DISTINCT FROM overall.value
GROUP BY cells.class
