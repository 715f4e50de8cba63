-- How many records a grouped release has.
-- One row: the whole grouped release.
-- Reads: the grouped release.
-- Binds: grouped (table)
-- Result: records.
-- NULL: does not matter; rows are counted whole.
SELECT coalesce(sum("#records"), 0)::BIGINT AS records
FROM grouped
