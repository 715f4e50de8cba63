-- The value of each row in a column that identifies subgroups.
-- One row: a row of the yardstick, in their order.
-- Reads: the rows of the yardstick
-- Binds: raw_value (column), rows (table)
-- Result: subgroup, as text.
-- NULL: is a value of its own.
SELECT rows.raw_value::VARCHAR AS subgroup
FROM rows
ORDER BY rows."#at"
