-- What the class of each combination shows.
-- One row: a combination.
-- Reads: the combinations, the leaves, the nodes of classes
-- Binds: combinations (field), leaves (field), nodes (field), values (list), columns (list)
-- Result: the numbers of the values; level and label of each released column.
-- NULL: a value as any other.
SELECT each(values, c."{id}"), each(columns, s."{level}", s."{label}")
FROM {combinations} AS c JOIN {leaves} AS l ON l."combination" = c."combination" JOIN (SELECT n."class",
    each(columns, max(CASE WHEN n."col" = {col} THEN n."level" END) AS "{level}", max(CASE WHEN n."col" = {col} THEN n."label" END) AS "{label}")
    FROM {nodes} AS n GROUP BY n."class") AS s ON s."class" = l."class"
