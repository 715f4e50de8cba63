-- Which of the shown labels stand at a level of a taxonomy.
-- One row: a label.
-- Reads: the column's lookup, shown_labels
-- Binds: label (column), lookup (table)
-- Result: standing, one of the shown labels.
-- NULL: is no label.
SELECT DISTINCT label::VARCHAR AS standing
FROM lookup
WHERE label::VARCHAR IN (SELECT shown_label FROM shown_labels)
ORDER BY standing
