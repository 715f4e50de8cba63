-- The frequency bound of l-diversity: one over the largest share that a sensitive value has in each class.
-- One row: an equivalence class.
-- Reads: cells
-- Binds: cells (table)
-- Result: class; reached: no more than 1/l of the class has one value, for each l up to it.
-- NULL: a sensitive NULL is a value of its own.
SELECT class, round(sum(weight)) / max(holders) AS reached
FROM cells
GROUP BY class
