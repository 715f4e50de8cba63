-- Makes the table of a column's labels with the values under each, without rows.
-- One row: none.
-- Reads: the column's lookup
-- Binds: spread (table), lookup (table)
-- Result: label, leaves.
-- NULL: has no label.
CREATE OR REPLACE TEMP TABLE spread AS
SELECT ''::VARCHAR AS label, list(value) AS leaves
FROM lookup
WHERE false
GROUP BY label
