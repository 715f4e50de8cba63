-- How many records a source has, from a table of its distinct combinations.
-- One row: the whole table.
-- Reads: a frequency set
-- Binds: held (table)
-- NULL: does not matter; no value is read.
SELECT coalesce(sum("#records"), 0)::BIGINT AS records
FROM held
