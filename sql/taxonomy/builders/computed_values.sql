-- The values of a relation, under a name that no step of the labels has.
-- One row: a row of the relation held.
-- Reads: held (a relation with the column value: the distinct values of a column)
-- Binds: held (table)
-- Result: value.
-- NULL: stays NULL.
SELECT value
FROM held
