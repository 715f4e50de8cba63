-- The labels of a column that the grouped release shows, in their order.
-- One row: a label.
-- Reads: release_rows
-- Binds: shown_label (column)
-- NULL: left out.
SELECT DISTINCT shown_label
FROM release_rows
WHERE shown_label IS NOT NULL
ORDER BY shown_label
