-- Whether each sampled value is NULL, to learn whether that predicts something.
-- One row: a sampled record.
-- Reads: source_sample
-- Result: one BOOLEAN per column, in the order of the columns.
-- NULL: is what is counted.
SELECT COLUMNS(*) IS NULL
FROM source_sample
