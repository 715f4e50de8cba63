-- The rows of a taxonomy as they are exported.
-- One row: one leaf.
-- Reads: the taxonomy of one column
-- Binds: taxonomy (table), fields (columns)
-- Result: temporary table exported: the leaf's value, its label at each level, "#node" and "#leaf" (the order of rows).
-- NULL: none occurs in a taxonomy.
CREATE OR REPLACE TEMP TABLE exported AS
SELECT
    fields,
    0 AS "#node",
    code_0 AS "#leaf"
FROM taxonomy
