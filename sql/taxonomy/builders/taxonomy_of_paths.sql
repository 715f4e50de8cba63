-- Writes a taxonomy whose leaves are placed under the nodes of level 1.
-- One row: a leaf.
-- Reads: placed (leaves with their position and the code of their node of level 1), paths
-- Binds: taxonomy (table), levels (list)
-- Result: table taxonomy: value, level_1 and so on, code_0, code_1 and so on.
-- NULL: not a leaf.
CREATE OR REPLACE TABLE taxonomy AS
SELECT
    placed.value,
    each(levels, paths.level_{level}),
    placed.position AS code_0,
    each(levels, paths.code_{level})
FROM placed
JOIN paths ON paths.code_1 = placed.parent
