-- The largest code of a class value, which says how many class values models are to tell apart.
-- One row: the code.
-- Reads: whole
-- Binds: whole (table)
-- NULL: is code 0.
SELECT max("#class")
FROM whole
