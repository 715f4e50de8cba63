-- Removes failing classes from a numbered frequency set.
-- One row: a combination of a class that stays, as before.
-- Reads: a numbered frequency set, the numbers of the classes that fail
-- Binds: numbered_set (table), failing (table)
-- Result: the numbered set without them.
-- NULL: a number of a class is never NULL.
DELETE FROM numbered_set
WHERE class IN (SELECT class FROM failing)
