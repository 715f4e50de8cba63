-- How long the longest value of a column is when written as text.
-- One row: the column.
-- Reads: held (a relation with the column value: the distinct values of a column)
-- Binds: held (table)
-- Result: characters (BIGINT; 0 without values).
-- NULL: left out.
SELECT coalesce(max(length(CAST(value AS VARCHAR))), 0) AS characters
FROM held
