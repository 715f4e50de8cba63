-- The frequency set as leaf codes and the codes of a sensitive column.
-- One row: a distinct combination of leaves and sensitive value.
-- Reads: coded_sensitive_set, sensitive_codes
-- Binds: leaves (columns), sensitive (column)
-- Result: value_code, as in measures/sensitive_codes.sql; records.
-- NULL: is code 0 in leaves; of the sensitive column a value of its own.
SELECT leaves, sensitive_codes.code AS value_code, sum("#records")::BIGINT AS records
FROM coded_sensitive_set
JOIN sensitive_codes ON sensitive IS NOT DISTINCT FROM sensitive_codes.value
GROUP BY leaves, sensitive_codes.code
ORDER BY leaves, sensitive_codes.code
