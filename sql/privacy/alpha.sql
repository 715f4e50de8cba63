-- (alpha,k)-anonymity: the largest share that a sensitive value has in each class.
-- One row: an equivalence class.
-- Reads: cells
-- Binds: cells (table)
-- Result: class; reached.
-- NULL: a sensitive NULL is a value of its own.
SELECT class, max(records) / sum(records) AS reached
FROM cells
GROUP BY class
