-- The equivalence class of each class, by what all columns show.
-- One row: a class.
-- Reads: assigned_nodes
-- Binds: names (list)
-- Result: temporary table equivalent_classes: "#assigned", "#equivalence".
-- NULL: a label of its own.
CREATE OR REPLACE TEMPORARY TABLE equivalent_classes AS
SELECT "#assigned", dense_rank() OVER (ORDER BY each(names, "{name}@value")) AS "#equivalence"
FROM assigned_nodes
