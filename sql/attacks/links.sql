-- How many links are right, in expectation over a random choice among rows that are equally near.
-- One row: all targets.
-- Reads: linked
-- Result: attacked, the number of targets. Expected numbers of targets: own, whose own row is chosen, which is one that
--   agrees with the target in all that is released (own_rows may be a chance, where several people fit a row); value,
--   who have the value of the chosen row, where own_rows counts the rows with the target's value; same, for whom guesses
--   by either set of columns hit the same row. without, the targets without a row of their own: people outside the
--   release have none, and agree with a row only by chance.
SELECT
    count(*) AS attacked,
    coalesce(sum(least(own_rows, 1)::DOUBLE / common_rows), 0)::DOUBLE AS own,
    coalesce(sum(own_rows / common_rows), 0)::DOUBLE AS value,
    coalesce(sum(common_rows::DOUBLE / first_rows / second_rows), 0)::DOUBLE AS same,
    count(*) FILTER (WHERE own_rows = 0) AS without
FROM linked
