-- How many distinct rows the release has.
-- One row: all of them.
-- Reads: released_rows
-- Binds: nothing
-- Result: classes.
-- NULL: does not occur.
SELECT count(*) AS classes
FROM released_rows
