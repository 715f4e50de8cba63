-- What the models predict of the data as it came, in cross-validation.
-- One row: a cell of the frequency set and a model.
-- Reads: baseline_cells
-- Binds: nothing
-- Result: of the tested records of the cell, those whose class was predicted right.
-- NULL: does not occur.
CREATE OR REPLACE TEMP TABLE baseline_right AS
SELECT cell AS "#cell", model, tested, predicted_right
FROM baseline_cells
