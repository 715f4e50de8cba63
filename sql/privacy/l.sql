-- Distinct l-diversity: the distinct sensitive values of each class.
-- One row: an equivalence class.
-- Reads: cells
-- Binds: cells (table)
-- Result: class; reached: the fewest values whose holders, added up, are as many as the class has. Those are all its
--   values where each record has one; where a person has several, fewer values may be enough to be right about
--   everybody.
-- NULL: a sensitive NULL is a value of its own.
WITH sizes AS (
    SELECT class, count(*) AS diversity, sum(holders) AS holders, round(sum(weight)) AS members
    FROM cells
    GROUP BY class
), ranked AS (
    SELECT
        cells.class,
        sizes.members,
        sum(cells.holders) OVER (PARTITION BY cells.class ORDER BY cells.holders DESC ROWS UNBOUNDED PRECEDING) AS added
    FROM cells
    JOIN sizes ON cells.class = sizes.class AND sizes.holders > sizes.members
), fewest AS (
    SELECT class, count(*) FILTER (WHERE added < members) + 1 AS diversity
    FROM ranked
    GROUP BY class
)
SELECT sizes.class, coalesce(fewest.diversity, sizes.diversity) AS reached
FROM sizes
LEFT JOIN fewest ON sizes.class = fewest.class
