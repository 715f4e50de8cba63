-- The cell of the frequency set at a floor that each cell of the sample is part of.
-- One row: a cell of the sample.
-- Reads: ungeneralized_sample, coded_numbered (the frequency set at the floor, coded at every level)
-- Binds: nodes (columns)
-- Result: nodes are the codes of all columns at the floor; both cells of a row have the same.
-- NULL: is code 0.
CREATE OR REPLACE TABLE floor_cells AS
SELECT sample."#cell" AS sampled, coded."#cell"
FROM ungeneralized_sample AS sample
JOIN coded_numbered AS coded ON row(sample."#class", sample.nodes) = row(coded."#class", coded.nodes)
