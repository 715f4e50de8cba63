-- The value of a sensitive column in each of the counted records, in the order of evaluation/stored_cells.sql.
-- One row: a distinct combination of quasi-identifier leaves, class and sensitive values.
-- Reads: coded_sensitive_set, sensitive_codes
-- Binds: ordered (columns), sensitive (column)
-- Result: value_code, as in measures/sensitive_codes.sql.
-- NULL: a value of its own.
SELECT sensitive_codes.code AS value_code
FROM coded_sensitive_set
JOIN sensitive_codes ON sensitive IS NOT DISTINCT FROM sensitive_codes.value
ORDER BY ordered, "#records"
