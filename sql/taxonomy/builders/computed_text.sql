-- The values of a column as text, which codes are cut from.
-- One row: a row of the relation held.
-- Reads: held (a relation with the column value: the distinct values of a column)
-- Binds: held (table)
-- Result: value, text.
-- NULL: stays NULL.
SELECT value, CAST(value AS VARCHAR) AS text
FROM held
