-- One row: how many records all classes have.
-- Reads: classes
-- Binds: classes (table)
-- Result: records.
-- NULL: does not occur.
SELECT coalesce(sum(records), 0)::BIGINT AS records
FROM classes
