-- How many classes of the release Splink compares with.
-- One row: all of them.
-- Reads: splink_rows
-- Binds: nothing
-- Result: classes.
-- NULL: does not occur.
SELECT count(*) AS classes
FROM splink_rows
