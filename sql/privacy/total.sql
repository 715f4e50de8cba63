-- How many records a grouped table stands for.
-- One row: the whole table.
-- Reads: a table with a column records
-- Binds: counted (table)
-- Result: records.
-- NULL: 0 for a table without rows.
SELECT coalesce(sum(counted.records), 0)::BIGINT AS records
FROM counted
