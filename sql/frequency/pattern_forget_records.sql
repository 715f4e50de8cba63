-- Forgets the rows whose pairs were joined.
-- One row: does not occur.
-- Reads: joined_records
-- Binds: nothing
-- NULL: does not occur.
DROP VIEW IF EXISTS temp.main.joined_records
