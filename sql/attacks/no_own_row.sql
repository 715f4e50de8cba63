-- How many of the attacked people have no row of their own among those that they are linked to.
-- One row: all of them.
-- Reads: linked
-- Binds: nothing
-- Result: without, attacked.
-- NULL: does not occur.
SELECT count(*) FILTER (WHERE own_rows = 0) AS without, count(*) AS attacked
FROM linked
