-- The lowest node that all records of a class have in common, in each released column.
-- One row: a class, a column.
-- Reads: the cells of classes, what cells show, the outermost nodes
-- Binds: cells (field), shown (field), ends (field)
-- Result: class, col, level (0 where all have one value), label (with an open outer side).
-- NULL: is a value as any other.
SELECT n."class", n."col", n."level", CASE WHEN n."node" = e."least" AND n."node" = e."largest" THEN n."either"
    WHEN n."node" = e."least" THEN n."low" WHEN n."node" = e."largest" THEN n."high" ELSE n."label" END AS "label"
FROM (SELECT m.*, row_number() OVER (PARTITION BY m."class", m."col" ORDER BY m."level") AS "height" FROM (
    SELECT c."class", c."col", t."level", min(t."node") AS "node", min(t."label") AS "label", min(t."low") AS "low",
        min(t."high") AS "high", min(t."either") AS "either"
    FROM {cells} AS c JOIN {shown} AS t ON t."col" = c."col" AND t."cell" = c."cell"
    GROUP BY c."class", c."col", t."level" HAVING min(t."node") = max(t."node")
    UNION ALL SELECT c."class", c."col", 0, 0, NULL, NULL, NULL, NULL
    FROM {cells} AS c GROUP BY c."class", c."col" HAVING min(c."id") = max(c."id") AND min(c."cell") >= 0
) AS m) AS n
LEFT JOIN {ends} AS e ON e."col" = n."col" AND e."level" = n."level" WHERE n."height" = 1
