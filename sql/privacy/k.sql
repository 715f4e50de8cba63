-- k-anonymity: the persons in the smallest equivalence class.
-- One row: all classes.
-- Reads: classes
-- Binds: classes (table)
-- Result: k. A person is a record, unless a key of persons was named.
-- NULL: a class without number is one of the population alone, and is left out.
SELECT min(persons) AS k
FROM classes
WHERE class IS NOT NULL
