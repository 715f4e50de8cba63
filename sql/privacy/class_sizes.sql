-- The records of each class.
-- One row: an equivalence class, in the order of their numbers.
-- Reads: classes
-- Binds: classes (table)
-- Result: class; records.
SELECT class, records
FROM classes
ORDER BY class
