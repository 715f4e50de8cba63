-- The coded frequency set with the number of its records in each of the ten folds.
-- One row: a distinct combination of quasi-identifier leaves and class.
-- Reads: coded_numbered, cell_folds
-- Binds: nothing
-- NULL: is code 0.
CREATE OR REPLACE TABLE coded_frequency_set AS
SELECT coded_numbered.*, cell_folds.* EXCLUDE ("#cell")
FROM coded_numbered
JOIN cell_folds USING ("#cell")
ORDER BY "#cell"
