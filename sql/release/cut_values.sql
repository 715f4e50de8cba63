-- The values of a column's cut and what each shows, in their order.
-- One row: a value.
-- Reads: the column's cut
-- Binds: cut (table), shown_part (column)
-- Result: the value and what it shows, as texts.
-- NULL: a value of its own.
SELECT value::VARCHAR, shown_part::VARCHAR
FROM cut
ORDER BY value
