-- The coded frequency set with the number of its records in each of the ten folds.
-- One row: a distinct combination of quasi-identifier leaves and class.
-- Reads: coded_numbered, cell_folds (the cells that have a record in a fold)
-- Binds: nothing
-- NULL: is code 0.
CREATE OR REPLACE TABLE coded_frequency_set AS
SELECT
    coded_numbered.*,
    coalesce(cell_folds."#fold_0", 0)::BIGINT AS "#fold_0",
    coalesce(cell_folds."#fold_1", 0)::BIGINT AS "#fold_1",
    coalesce(cell_folds."#fold_2", 0)::BIGINT AS "#fold_2",
    coalesce(cell_folds."#fold_3", 0)::BIGINT AS "#fold_3",
    coalesce(cell_folds."#fold_4", 0)::BIGINT AS "#fold_4",
    coalesce(cell_folds."#fold_5", 0)::BIGINT AS "#fold_5",
    coalesce(cell_folds."#fold_6", 0)::BIGINT AS "#fold_6",
    coalesce(cell_folds."#fold_7", 0)::BIGINT AS "#fold_7",
    coalesce(cell_folds."#fold_8", 0)::BIGINT AS "#fold_8",
    coalesce(cell_folds."#fold_9", 0)::BIGINT AS "#fold_9"
FROM coded_numbered
LEFT JOIN cell_folds ON cell_folds."#cell" = coded_numbered."#cell"
ORDER BY coded_numbered."#cell"
