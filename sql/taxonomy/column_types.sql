-- The types of a table's columns, such as those of the frequency set.
-- One row: a column, with its type.
-- Reads: frequency_set
-- Binds: frequency (table)
-- Result: column_name, column_type.
-- NULL: does not matter; no value is read.
SELECT column_name, column_type
FROM (DESCRIBE frequency)
