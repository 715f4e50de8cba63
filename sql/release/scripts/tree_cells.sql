-- What the classes of a cut tree hold in each released column.
-- One row: a class, a column, a value.
-- Reads: the leaves, the combinations, what cells show
-- Binds: leaves (field), combinations (field), shown (field), values (list)
-- Result: class, col, id (the value's number), cell.
-- NULL: has a cell of its own.
SELECT DISTINCT l."class", k."col", CASE k."col" branches(values, WHEN {col} THEN c."{id}") END AS "id",
    CASE k."col" branches(values, WHEN {col} THEN c."{cell}") END AS "cell"
FROM {leaves} AS l JOIN {combinations} AS c ON c."combination" = l."combination"
CROSS JOIN (SELECT DISTINCT t."col" FROM {shown} AS t) AS k
