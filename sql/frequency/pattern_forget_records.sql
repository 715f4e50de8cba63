-- Forgets the rows whose pairs were joined.
-- One row: does not occur.
-- Reads: joined_records
DROP VIEW IF EXISTS temp.main.joined_records
