-- The columns of a taxonomy's table.
-- One row: a column, in the table's order.
-- Reads: taxonomy."<column>"
-- Binds: taxonomy (table)
-- Result: column_name, column_type.
-- NULL: does not matter; no value is read.
SELECT column_name, column_type
FROM (DESCRIBE taxonomy)
