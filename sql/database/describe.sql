-- The columns of a table with their types.
-- One row: a column, in the table's order.
-- Reads: the table's definition
-- Binds: described (table)
-- Result: column_name, column_type.
SELECT column_name, column_type
FROM (DESCRIBE described)
