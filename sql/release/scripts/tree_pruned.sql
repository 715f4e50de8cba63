-- A cut tree without sides to which fewer than k records come: their ranges lead to the nearest open side of the node.
-- One row: a range of a node that has an open side.
-- Reads: the tree, the nodes that combinations come to
-- Binds: records_called (field), tree (field), descent (field), k (field)
-- Result: node, col, first, last, next.
SELECT n."node", n."col", n."first", n."last", n."next" FROM (
    SELECT t."node", t."col", t."first", t."last", o."next", row_number() OVER (PARTITION BY t."node", t."first" ORDER BY
        CASE WHEN o."last" < t."first" THEN t."first" - o."last" ELSE o."first" - t."last" END, o."first") AS "nearness"
    FROM {tree} AS t JOIN {tree} AS o ON o."node" = t."node"
    JOIN (SELECT d."node" FROM {descent} AS d GROUP BY d."node" HAVING sum(d."{records_called}") >= {k}) AS f ON f."node" = o."next"
) AS n WHERE n."nearness" = 1
