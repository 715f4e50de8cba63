-- How many records all equivalence classes have together, before any of them is left out.
-- One row: all classes.
-- Reads: classes
-- Binds: classes (table)
-- Result: records.
-- NULL: does not occur.
SELECT coalesce(sum(records), 0)::BIGINT AS records
FROM classes
