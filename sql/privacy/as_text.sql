-- A table with some columns as text.
-- One row: as in the table.
-- Reads: held
-- Binds: held (table), columns (list)
-- Result: the columns, in their order.
-- NULL: stays NULL.
SELECT each(columns, {value} AS "{name}")
FROM held
