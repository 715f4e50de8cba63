-- As many rows of each power as two to that power, to repeat what is joined with them.
-- One row: a repetition.
-- Reads: nothing.
-- Binds: nothing
-- Result: times, the power, 0 to 16.
-- NULL: does not occur.
SELECT unnest(list_transform(range(2 ** power), lambda again: power)) AS times
FROM range(17) AS powers(power)
