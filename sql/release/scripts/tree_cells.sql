-- What the classes of a cut tree hold in each released column: the cells, which are the lowest nodes of taxonomies.
-- One row: a class, a column, a value.
-- Reads: the leaves, the combinations, the places of values
-- Binds: leaves (field), combinations (field), values (list)
-- Result: class, col, id (the value's number), cell (0 of NULL, -1 of a value that the taxonomy lacks).
-- NULL: has a cell of its own.
united(values,
    SELECT DISTINCT l."class", {col} AS "col", v."id", v."cell"
    FROM {leaves} AS l JOIN {combinations} AS c ON c."combination" = l."combination" JOIN {placed} AS v ON v."id" = c."{id}"
)
