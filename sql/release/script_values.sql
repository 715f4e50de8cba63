-- The values of a taxonomy with their labels at one level, for a script.
-- One row: a leaf, as text.
-- Reads: the column's taxonomy
-- Binds: label (column), taxonomy (table)
-- NULL: has no row; a script keeps it NULL.
SELECT value::VARCHAR AS value, label::VARCHAR AS label
FROM taxonomy
ORDER BY taxonomy.value
