-- Marketer risk: the share of records that somebody who links all of them is expected to link to the right person.
-- One row: all released classes.
-- Reads: classes
-- Binds: classes (table)
-- Result: average.
-- NULL: without a population, or where it lacks a class, a released class counts with its own size.
SELECT sum(records / coalesce(nullif(held, 0), persons)) / sum(records) AS average
FROM classes
WHERE class IS NOT NULL
