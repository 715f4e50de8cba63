-- The equivalence classes of a numbered frequency set by the codes of a sensitive column.
-- One row: an equivalence class and a value that occurs in it.
-- Reads: a numbered frequency set, sensitive_codes
-- Binds: sensitive (column), numbered_set (table)
-- Result: class; value_code, as in measures/sensitive_codes.sql; records.
-- NULL: of the sensitive column a value of its own.
SELECT numbered_set.class, sensitive_codes.code AS value_code, sum(numbered_set.records)::BIGINT AS records
FROM numbered_set
JOIN sensitive_codes ON numbered_set.sensitive IS NOT DISTINCT FROM sensitive_codes.value
GROUP BY numbered_set.class, sensitive_codes.code
ORDER BY numbered_set.class, sensitive_codes.code
