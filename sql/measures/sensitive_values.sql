-- What is known of each value of a sensitive column.
-- One row: a value, in the order of its code.
-- Reads: sensitive_codes
-- Result: missing, whether it is NULL; number, moment, declared and concerning, as in measures/sensitive_codes.sql.
-- NULL: a value of its own.
SELECT value IS NULL AS missing, number, moment, coalesce(declared, FALSE) AS declared, concerning
FROM sensitive_codes
ORDER BY code
