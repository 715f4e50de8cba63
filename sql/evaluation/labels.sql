-- What a column shows of each of its values: the value as text, and the labels of the nodes over it.
-- One row: a distinct value, in the order of the leaf codes, which start at 1.
-- Reads: the column's lookup
-- Binds: labels (columns), lookup (table)
-- Result: text; the labels, NULL where the taxonomy does not know the value.
-- NULL: has no row.
SELECT value::VARCHAR AS text, labels
FROM lookup
ORDER BY code_0
