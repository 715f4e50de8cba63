-- The frequency set with sensitive values of the records that the search sees.
-- One row: a distinct combination of node codes, class and sensitive values.
-- Reads: held_out_split
-- Binds: codes (columns), sensitive (columns)
-- NULL: is code 0 among codes, and a sensitive value of its own.
CREATE OR REPLACE TABLE coded_sensitive_set AS
SELECT codes, "#class", sensitive, "#records" - held AS "#records"
FROM held_out_split
WHERE "#records" > held
