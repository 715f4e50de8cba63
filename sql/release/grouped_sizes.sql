-- How many distinct rows a grouped release has, at most how many once its records are dealt to buckets, and how many
-- records, to choose how its file is written.
-- One row: the whole grouped release.
-- Reads: the grouped release.
-- Binds: grouped (table), $buckets (value)
-- Result: distinct_rows; dealt_rows: each distinct one in as many buckets as it has records, or in all; records.
-- NULL: does not matter; rows are counted whole.
SELECT
    count(*) AS distinct_rows,
    coalesce(sum(least("#records", $buckets)), 0)::BIGINT AS dealt_rows,
    coalesce(sum("#records"), 0)::BIGINT AS records
FROM grouped
