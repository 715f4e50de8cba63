-- The frequency set with sensitive values of the records that the search sees.
-- One row: a distinct combination of node codes, class and sensitive values.
-- Reads: split_set
-- Binds: nothing
-- NULL: is code 0 among codes, and a sensitive value of its own.
CREATE OR REPLACE TABLE coded_sensitive_set AS
SELECT * EXCLUDE ("#row", "#records", held, tested), "#records" - held AS "#records"
FROM split_set
WHERE "#records" > held
