-- Adds the labels that a release shows of one level of a column, with the values under each that the source holds.
-- One row: a label that is not there yet.
-- Reads: the column's lookup
-- Binds: level_label (column), spread (table), lookup (table), $shown (value)
-- Result: label, leaves in their order.
-- NULL: has no row in a lookup; a value that the taxonomy lacks has no label.
INSERT INTO spread
SELECT lookup.level_label::VARCHAR AS label, list(lookup.value ORDER BY lookup.code_0) AS leaves
FROM lookup
WHERE
    lookup.level_label::VARCHAR IN (SELECT unnest($shown::VARCHAR[]))
    AND lookup.level_label::VARCHAR NOT IN (SELECT label FROM spread)
GROUP BY lookup.level_label
