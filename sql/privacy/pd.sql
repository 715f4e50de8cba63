-- PD, probabilistic disclosure: the share of a class that has the value which a guesser bets on, its most frequent one.
-- One row: all classes.
-- Reads: cells
-- Binds: cells (table)
-- Result: pd, the average over classes; highest.
-- NULL: a sensitive NULL is a value of its own.
WITH guesses AS (
    SELECT max(records) / sum(records) AS right_guess
    FROM cells
    GROUP BY class
)
SELECT avg(right_guess) AS pd, max(right_guess) AS highest
FROM guesses
