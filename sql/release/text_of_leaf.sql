-- The value of a leaf of a column.
-- One row: the leaf; none where the column has no such leaf.
-- Reads: the lookup of the column
-- Binds: lookup (table), $leaf (value)
-- Result: the value, as text.
SELECT value::VARCHAR
FROM lookup
WHERE code_0 = $leaf
