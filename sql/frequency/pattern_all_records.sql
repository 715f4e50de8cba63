-- The rows whose pairs are joined, when all records are: the coded frequency set with an id.
-- One row: a distinct combination of quasi-identifier leaves and class.
-- Reads: coded_frequency_set
-- Binds: nothing
-- NULL: is code 0.
CREATE OR REPLACE TABLE joined_records AS
SELECT "#cell" + 1 AS "#id", * EXCLUDE ("#cell")
FROM coded_frequency_set
