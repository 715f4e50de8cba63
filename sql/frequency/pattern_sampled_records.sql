-- The rows whose pairs are joined, when a sample of the records is: each with the number of its sampled records.
-- One row: a distinct combination of quasi-identifier leaves and class with a sampled record.
-- Reads: coded_frequency_set, drawn_records
-- Binds: nothing
-- NULL: is code 0.
CREATE OR REPLACE TABLE joined_records AS
SELECT row_number() OVER (ORDER BY coded_frequency_set."#cell") AS "#id",
    coded_frequency_set.* EXCLUDE ("#cell", "#records"),
    drawn_records.records AS "#records"
FROM coded_frequency_set
JOIN drawn_records ON coded_frequency_set."#cell" = drawn_records.cell
WHERE drawn_records.records > 0
