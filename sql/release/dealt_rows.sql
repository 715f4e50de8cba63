-- At most how many rows a grouped release has once its records are dealt to buckets, to choose how its file is written.
-- One row: the whole grouped release.
-- Reads: the grouped release.
-- Binds: grouped (table), $buckets (value)
-- Result: rows: each distinct one in as many buckets as it has records, or in all.
-- NULL: does not matter; rows are counted whole.
SELECT coalesce(sum(least("#records", $buckets)), 0)::BIGINT AS rows
FROM grouped
