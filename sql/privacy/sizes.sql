-- How many classes there are of each size: what estimates of population uniqueness read.
-- One row: a class size that occurs.
-- Reads: classes
-- Binds: classes (table)
-- Result: size, in persons; classes, the number of classes of that size.
-- NULL: a class without number is one of the population alone, and is left out.
SELECT persons AS size, count(*) AS classes
FROM classes
WHERE class IS NOT NULL
GROUP BY persons
ORDER BY persons
