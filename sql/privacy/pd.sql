-- PD, probabilistic disclosure: the share of a class with its most frequent value, which is the best guess.
-- One row: all classes.
-- Reads: cells
-- Binds: cells (table)
-- Result: pd, the average over classes, each of which counts the same; highest; right_guesses, the share of all
--   records (or persons) of whom the guesser is right, so that a class counts by its size.
-- NULL: a sensitive NULL is a value of its own.
WITH guesses AS (
    SELECT max(holders) AS right, round(sum(weight)) AS members
    FROM cells
    GROUP BY class
)
SELECT avg(guesses.right / members) AS pd, max(guesses.right / members) AS highest, sum(guesses.right) / sum(members) AS right_guesses
FROM guesses
