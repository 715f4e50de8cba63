-- In which fold how many records of a cell are that are in the sample which folds are drawn on.
-- One row: a cell of the frequency set at the floor that has some.
-- Reads: ungeneralized_sample (the sample, with folds), floor_cells (the cell that each of its cells is part of)
CREATE OR REPLACE TEMP TABLE cell_folds AS
SELECT
    floor_cells."#cell",
    sum(sample."#fold_0")::BIGINT AS "#fold_0",
    sum(sample."#fold_1")::BIGINT AS "#fold_1",
    sum(sample."#fold_2")::BIGINT AS "#fold_2",
    sum(sample."#fold_3")::BIGINT AS "#fold_3",
    sum(sample."#fold_4")::BIGINT AS "#fold_4",
    sum(sample."#fold_5")::BIGINT AS "#fold_5",
    sum(sample."#fold_6")::BIGINT AS "#fold_6",
    sum(sample."#fold_7")::BIGINT AS "#fold_7",
    sum(sample."#fold_8")::BIGINT AS "#fold_8",
    sum(sample."#fold_9")::BIGINT AS "#fold_9"
FROM ungeneralized_sample AS sample
JOIN floor_cells ON floor_cells.sampled = sample."#cell"
GROUP BY floor_cells."#cell"
