-- The largest code of a class value, which says how many bits it takes.
-- One row: all joined records.
-- Reads: joined_records
-- Binds: nothing
-- NULL: a NULL class is code 0.
SELECT max("#class") AS largest
FROM joined_records
