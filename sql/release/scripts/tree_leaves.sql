-- The leaf of a cut tree that each combination comes to.
-- One row: a combination.
-- Reads: the nodes that combinations come to, the tree
-- Binds: descent (field), tree (field)
-- Result: combination, class.
SELECT d."combination", d."node" AS "class"
FROM {descent} AS d WHERE d."node" NOT IN (SELECT t."node" FROM {tree} AS t)
