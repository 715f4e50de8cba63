-- How many distinct rows a grouped release has, and how many records, to choose how its file is written.
-- One row: the whole grouped release.
-- Reads: the grouped release.
-- Binds: grouped (table)
-- Result: distinct_rows; records.
-- NULL: does not matter; rows are counted whole.
SELECT
    count(*) AS distinct_rows,
    coalesce(sum("#records"), 0)::BIGINT AS records
FROM grouped
