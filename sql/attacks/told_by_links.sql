-- How many of the attacked people have the value of a row that they are linked to, one of several at random.
-- One row: all of them.
-- Reads: linked, whose own rows are those with the person's value
-- Binds: nothing
-- Result: told, an expected number; attacked.
-- NULL: does not occur.
SELECT coalesce(sum(own_rows / common_rows), 0)::DOUBLE AS told, count(*) AS attacked
FROM linked
