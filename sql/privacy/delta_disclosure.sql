-- delta-disclosure privacy: how far the share of a sensitive value in a class is from that in the release, as a ratio.
-- One row: an equivalence class.
-- Reads: cells
-- Binds: cells (table)
-- Result: class; reached = max over all values of |ln(p / q)|; infinite in a class that lacks a value of the release.
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
SELECT
    cells.class,
    CASE
        WHEN count(*) < (SELECT count(*) FROM overall) THEN 'infinity'::DOUBLE
        ELSE max(abs(ln(cells.records / sizes.records / overall.share)))
    END AS reached
FROM cells
JOIN sizes ON cells.class = sizes.class
JOIN overall ON cells.value IS NOT DISTINCT FROM overall.value
GROUP BY cells.class
