-- Dates and timestamps, as they are.
-- One row: a row of the relation held.
-- Reads: held (a relation with the column value: the distinct values of a column)
-- Binds: held (table)
-- Result: value, stamp (DATE or a TIMESTAMP).
-- NULL: stays NULL.
SELECT value, value AS stamp
FROM held
