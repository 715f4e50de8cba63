-- The lines of a class table, with their keys as values of the source's type.
-- One row: a line.
-- Reads: class_table (key, class)
-- Binds: kind (field)
-- Result: temporary table assigned_keys: key; written, the key as text; class.
-- NULL: in key, a text that is no value of the type.
CREATE OR REPLACE TEMPORARY TABLE assigned_keys AS
SELECT TRY_CAST(key AS {kind}) AS key, key AS written, class
FROM class_table
