-- The records of each class.
-- One row: an equivalence class.
-- Reads: classes
-- Binds: classes (table)
-- Result: class; records.
-- NULL: does not occur.
SELECT class, records
FROM classes
