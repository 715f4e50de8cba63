-- Distinct l-diversity: the distinct sensitive values of each class.
-- One row: an equivalence class.
-- Reads: cells
-- Binds: cells (table)
-- Result: class; reached.
-- NULL: a sensitive NULL is a value of its own.
SELECT class, count(*) AS reached
FROM cells
GROUP BY class
