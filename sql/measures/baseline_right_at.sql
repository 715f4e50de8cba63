-- What the models predict of the sampled records as they came, in cross-validation, by cell of the frequency set.
-- One row: a cell of the frequency set at the floor and a model.
-- Reads: baseline_cells, floor_cells (the cell that each cell of the sample is part of)
-- Binds: nothing
-- Result: of the tested records of the cell, those whose class was predicted right.
-- NULL: does not occur.
CREATE OR REPLACE TEMP TABLE baseline_right AS
SELECT
    floor_cells."#cell",
    model,
    sum(tested)::BIGINT AS tested,
    sum(predicted_right)::BIGINT AS predicted_right
FROM baseline_cells
JOIN floor_cells ON floor_cells.sampled = baseline_cells.cell
GROUP BY floor_cells."#cell", model
