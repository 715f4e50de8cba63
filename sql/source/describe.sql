-- The columns of the source.
-- One row: a column of the view source, with its name and type.
-- Reads: source
SELECT column_name, column_type
FROM (DESCRIBE source)
