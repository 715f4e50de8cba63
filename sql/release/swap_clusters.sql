-- The class of a method that each row of the set that is swapped is in.
-- One row: a row of that set, in the order of its number.
-- Reads: swap_set
-- Result: assigned, the number of the class.
SELECT "#assigned" AS assigned
FROM swap_set
ORDER BY "#row"
