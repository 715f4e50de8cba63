-- The paths of the nodes of level 1 up to the root.
-- One row: a node of level 1.
-- Reads: nodes
-- Binds: levels (list), upper (list)
-- Result: temporary table paths: level_1, the label, and code_1, and so on. upper are the levels above 1, each with the one
--   below it.
-- NULL: not a node.
CREATE OR REPLACE TEMPORARY TABLE paths AS
SELECT each(levels, nodes_{level}.label AS level_{level}, nodes_{level}.code AS code_{level})
FROM nodes AS nodes_1
joins(upper,
    JOIN nodes AS nodes_{level} ON nodes_{level}.level = {level} AND nodes_{level}.code = nodes_{below}.parent;
)
WHERE nodes_1.level = 1
