-- The counted records of a decision database with sensitive values, as codes.
-- One row: a distinct combination of quasi-identifier leaves, class and sensitive values.
-- Reads: coded_sensitive_set
-- Binds: leaves (columns), ordered (columns)
-- Result: the leaf codes; class_code; records.
-- NULL: is code 0 among leaves and class; a NULL sensitive value comes last.
SELECT leaves, "#class" AS class_code, "#records" AS records
FROM coded_sensitive_set
ORDER BY ordered, "#records"
