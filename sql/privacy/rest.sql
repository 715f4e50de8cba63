-- The frequency set of the classes that stay.
-- One row: a distinct combination of quasi-identifiers and sensitive values, with its records.
-- Reads: a numbered frequency set
-- Binds: numbered_set (table), audited_set (table)
-- Result: its columns, and "#records".
-- NULL: a value of its own.
CREATE OR REPLACE TEMP TABLE audited_set AS
SELECT * EXCLUDE (class, records), records AS "#records"
FROM numbered_set
