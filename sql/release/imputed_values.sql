-- Effect: puts the value of a leaf in the place of NULL.
-- One row: a combination of values without one in the column.
-- Reads: release_set, the column's lookup
-- Binds: held_value (column), lookup (table), $leaf (value)
-- NULL: occurs no more.
UPDATE release_set
SET held_value = (SELECT value FROM lookup WHERE code_0 = $leaf)
WHERE held_value IS NULL
