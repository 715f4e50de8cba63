-- (alpha,k)-anonymity: the largest share of a class that has one sensitive value.
-- One row: an equivalence class.
-- Reads: cells
-- Binds: cells (table)
-- Result: class; reached, over the values that concern: 0 in a class that has none of them.
-- NULL: a sensitive NULL is a value of its own.
SELECT class, coalesce(max(holders) FILTER (WHERE concerning), 0) / round(sum(weight)) AS reached
FROM cells
GROUP BY class
