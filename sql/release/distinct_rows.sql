-- One row: how many distinct rows a grouped release has.
-- Reads: the grouped release.
-- Binds: grouped (table)
-- Result: rows.
-- NULL: does not matter; rows are counted whole.
SELECT count(*) AS rows
FROM grouped
