-- How many records the value counts of all columns have together.
-- One row: all value counts.
-- Reads: counted (the value counts of some columns)
-- Binds: counted (table)
-- Result: the records of the source, as often as there are columns.
-- NULL: is counted like a value.
SELECT coalesce(sum("#records"), 0)::BIGINT
FROM counted
