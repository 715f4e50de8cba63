-- How many rare values of a column have nothing to show in its type.
-- One row: a number.
-- Reads: the rare values of the column
-- Binds: rare_values (table)
-- NULL: has nothing to show.
SELECT count(*)
FROM rare_values
WHERE shown IS NULL
