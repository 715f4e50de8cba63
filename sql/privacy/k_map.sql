-- k-map: the persons of the population who share the quasi-identifiers of a released class, at the smallest.
-- One row: all released classes.
-- Reads: classes
-- Binds: classes (table)
-- Result: k_map; it is 0 where the population lacks a released class; lacking, the number of those classes.
-- NULL: a class without number is one of the population alone, and is left out.
SELECT min(held) AS k_map, count(*) FILTER (WHERE held = 0) AS lacking
FROM classes
WHERE class IS NOT NULL
