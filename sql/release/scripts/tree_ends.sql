-- The outermost nodes that records lie in, of each column and level.
-- One row: a column, a level.
-- Reads: the cells of classes, what cells show
-- Binds: cells (field), shown (field)
-- Result: col, level, least, largest.
-- NULL: lies in no interval.
SELECT c."col", t."level", min(t."node") AS "least", max(t."node") AS "largest"
FROM {cells} AS c JOIN {shown} AS t ON t."col" = c."col" AND t."cell" = c."cell"
WHERE t."ends" = 1 GROUP BY c."col", t."level"
