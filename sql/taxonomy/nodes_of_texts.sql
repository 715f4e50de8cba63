-- Effect: adds nodes to taxonomy_nodes, of texts that taxonomy/kept_texts.sql has read.
-- One row: a node of the column.
-- Reads: given_taxonomy
-- Binds: typed (list)
-- Result: rows of taxonomy_nodes, whose columns are in the order of typed.
-- NULL: stays NULL.
INSERT INTO taxonomy_nodes
SELECT each(typed, {value} AS "{name}")
FROM given_taxonomy
