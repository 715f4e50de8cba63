-- What the classes of a cut tree hold in each released column: the cells, which are the lowest nodes of taxonomies.
-- One row: a class, a column, a value.
-- Reads: the nodes that combinations come to, the tree, the combinations, the places of values
-- Binds: descent (field), tree (field), combinations (field), values (list)
-- Result: class, combination, col, id (the value's number), cell (0 of NULL, -1 of a value that the taxonomy lacks).
-- NULL: has a cell of its own.
united(values,
SELECT l.node AS class, {n} AS col, v."id" AS id, v."cell" AS cell
FROM leaves AS l JOIN {combinations} AS c ON c.combination = l.combination JOIN {placed} AS v ON v."id" = c."{id}")
