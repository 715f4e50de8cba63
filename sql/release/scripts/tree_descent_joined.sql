-- The nodes of a cut tree that combinations come to, by a join for each cut: where an engine limits recursion.
-- One row: a combination and a node.
-- Reads: the combinations, a cut tree
-- Binds: records_called (field), combinations (field), tree (field), levels (list)
-- Result: combination, records, node.
-- NULL: has a place of its own.
SELECT p."combination", p."{records_called}", p."node"
FROM (
    SELECT c."combination", c."{records_called}", explode(array(0, each(levels, t{n}."next"))) AS "node" FROM {combinations} AS c
    joins(levels, LEFT JOIN {tree} AS t{n} ON t{n}."node" = {over} AND {placed} BETWEEN t{n}."first" AND t{n}."last";)
) AS p WHERE p."node" IS NOT NULL
