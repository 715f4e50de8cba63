-- Which of some labels stand at a level of a taxonomy.
-- One row: a label.
-- Reads: the column's lookup
-- Binds: label (column), lookup (table), $shown (value)
-- Result: standing, one of $shown.
-- NULL: is no label.
SELECT DISTINCT label::VARCHAR AS standing
FROM lookup
WHERE label::VARCHAR IN (SELECT unnest($shown::VARCHAR[]))
ORDER BY standing
