-- The largest code of a class value.
-- One row: the code.
-- Reads: whole
-- Binds: whole (table)
-- NULL: is code 0.
SELECT max("#class")
FROM whole
