-- The values of a computed taxonomy whose label was edited: it is another than the one that is computed.
-- One row: such a leaf.
-- Reads: the column's taxonomy, known_paths (the computed paths of its values)
-- Binds: label (column), taxonomy (table)
-- Result: value and the stored label, as text.
-- NULL: is no leaf.
SELECT taxonomy.value::VARCHAR AS value, taxonomy.label::VARCHAR AS stored_label
FROM taxonomy
JOIN known_paths ON known_paths.value = taxonomy.value
WHERE taxonomy.label IS DISTINCT FROM known_paths.label
ORDER BY taxonomy.value
