-- How many records of the original hold each value.
-- One row: an attribute and a value.
-- Reads: numbered_values
-- Binds: nothing
-- Result: attribute; number; records.
-- NULL: a value as others.
SELECT attribute, number, original AS records
FROM numbered_values
ORDER BY attribute, number
