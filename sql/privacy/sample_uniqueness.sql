-- Sample uniqueness: the share of records whose class holds a single person.
-- One row: all released classes.
-- Reads: classes
-- Binds: classes (table)
-- Result: sample_uniqueness.
-- NULL: a class without number is one of the population alone, and is left out.
SELECT coalesce(sum(records) FILTER (WHERE persons = 1), 0) / sum(records) AS sample_uniqueness
FROM classes
WHERE class IS NOT NULL
