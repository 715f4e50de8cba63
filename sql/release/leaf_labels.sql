-- A column's values in a lookup of a release, as text, with their labels.
-- One row: a value, by leaf code.
-- Reads: the column's lookup
-- Binds: labels (columns), lookup (table)
-- Result: code_0, shown_value, the labels.
-- NULL: has no row in a lookup.
SELECT code_0, CASE value::VARCHAR WHEN '-0.0' THEN '0.0' ELSE value::VARCHAR END AS shown_value, labels
FROM lookup
ORDER BY code_0
