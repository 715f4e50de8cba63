-- How many links are right, in expectation over the guess among rows that are equally near.
-- One row: all targets.
-- Reads: linked
-- Binds: nothing
-- Result: attacked; own, the expected number of targets whose own row is guessed: one of the rows that are nearest in
--   both sets of columns, if there is one that agrees with the target in all that is released, which is meant for
--   people of the release alone, for others agree by chance and have no own row; own_rows may be a chance instead,
--   where rows that agree may be those of others; same, the expected number of targets for which guesses by either set
--   of columns hit the same row.
-- NULL: does not occur.
SELECT
    count(*) AS attacked,
    coalesce(sum(least(own_rows, 1)::DOUBLE / common_rows), 0)::DOUBLE AS own,
    coalesce(sum(common_rows::DOUBLE / first_rows / second_rows), 0)::DOUBLE AS same
FROM linked
