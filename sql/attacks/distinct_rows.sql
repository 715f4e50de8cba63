-- How many distinct rows a grouped table of the release has.
-- One row: the whole table.
-- Reads: a grouped table
-- Binds: grouped (table)
-- Result: classes.
-- NULL: does not occur.
SELECT count(*) AS classes
FROM grouped
