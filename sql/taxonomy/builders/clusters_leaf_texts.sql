-- The leaves of a nominal column with their text.
-- One row: a leaf, in the order of the values.
-- Reads: leaves
-- Result: text, records.
-- NULL: not a leaf.
SELECT value::VARCHAR AS text, records
FROM leaves
ORDER BY position
