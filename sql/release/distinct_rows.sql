-- How many distinct rows a grouped release has, to choose how its file is written.
-- One row: the whole grouped release.
-- Reads: the grouped release.
-- Binds: grouped (table)
-- Result: rows.
-- NULL: does not matter; rows are counted whole.
SELECT count(*) AS rows
FROM grouped
