-- The value of a sensitive column in each of the counted records, in the order of measures/class_leaves.sql.
-- One row: one of the table.
-- Reads: a table that holds the column, sensitive_codes
-- Binds: sensitive (column), ordered (columns), coded (table)
-- Result: value_code, as in measures/sensitive_codes.sql.
-- NULL: a value of its own.
SELECT sensitive_codes.code AS value_code
FROM coded
JOIN sensitive_codes ON sensitive IS NOT DISTINCT FROM sensitive_codes.value
ORDER BY ordered
