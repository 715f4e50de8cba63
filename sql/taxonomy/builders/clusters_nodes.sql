-- The nodes of a cluster taxonomy.
-- One row: a node.
-- Binds: $levels (value), $codes (value), $parents (value), $labels (value)
-- Result: temporary table nodes: level, code, parent (its code one level up; NULL for the root), label.
-- NULL: not a leaf.
CREATE OR REPLACE TEMP TABLE nodes AS
SELECT
    unnest($levels::INTEGER[]) AS level,
    unnest($codes::INTEGER[]) AS code,
    unnest($parents::INTEGER[]) AS parent,
    unnest($labels::VARCHAR[]) AS label
