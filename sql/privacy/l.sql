-- Distinct l-diversity: the distinct sensitive values of each class.
-- One row: an equivalence class.
-- Reads: cells
-- Binds: cells (table)
-- Result: class; reached: the fewest values whose holders, added up, are as many as the class has. Those are all its values
--   where each record has one; where a person has several, fewer values may be enough to be right about everybody.
-- NULL: a sensitive NULL is a value of its own.
WITH ranked AS (
    SELECT
        class,
        sum(holders) OVER (PARTITION BY class ORDER BY holders DESC ROWS UNBOUNDED PRECEDING) AS added,
        round(sum(weight) OVER (PARTITION BY class)) AS members
    FROM cells
)
SELECT class, count(*) FILTER (WHERE added < members) + 1 AS reached
FROM ranked
GROUP BY class
