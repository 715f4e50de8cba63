-- The drawn records of both groups.
-- One row: a record.
-- Reads: drawn_records
-- Binds: nothing
-- Result: the columns of the source; #group, 0 or 1.
-- NULL: is kept.
SELECT *
FROM drawn_records
