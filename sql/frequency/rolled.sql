-- The frequency set of quasi-identifiers and class, from the one with sensitive values.
-- One row: a distinct combination of the values, with its records.
-- Reads: sensitive_set
-- Binds: attributes (columns)
-- NULL: is a value of its own.
CREATE OR REPLACE TABLE frequency_set AS
SELECT attributes, sum("#records")::BIGINT AS "#records"
FROM sensitive_set
GROUP BY attributes
