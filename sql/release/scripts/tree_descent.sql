-- The nodes of a cut tree that combinations come to, from the root down.
-- One row: a combination and a node.
-- Reads: the combinations; itself, as it is called; a cut tree
-- Binds: records_called (field), combinations (field), itself (field), tree (field), root (field), values (list)
-- Result: combination, records, the places, node.
-- NULL: has a place of its own.
SELECT c."combination", c."{records_called}", each(values, c."{place}"), {root} AS "node" FROM {combinations} AS c
UNION ALL
SELECT d."combination", d."{records_called}", each(values, d."{place}"), t."next" FROM {itself} AS d JOIN {tree} AS t ON t."node" = d."node"
    AND CASE t."col" branches(values, WHEN {n} THEN d."{place}") END BETWEEN t."first" AND t."last"
