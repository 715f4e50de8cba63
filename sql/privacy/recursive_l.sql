-- Recursive (c,l)-diversity: how often a class's most frequent value occurs relative to its l-th and all rarer ones.
-- One row: an equivalence class.
-- Reads: cells
-- Binds: cells (table), $l (value)
-- Result: class; reached = r_1 / (r_l + ... + r_m): the class is recursive (c,l)-diverse for each c over it. It is
--   infinite in a class of fewer than l values.
-- NULL: a sensitive NULL is a value of its own.
WITH ranked AS (
    SELECT class, weight, row_number() OVER (PARTITION BY class ORDER BY weight DESC) AS rank
    FROM cells
)
SELECT
    class,
    coalesce(max(weight) / sum(weight) FILTER (WHERE rank >= $l), 'infinity'::DOUBLE) AS reached
FROM ranked
GROUP BY class
