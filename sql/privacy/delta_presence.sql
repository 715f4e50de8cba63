-- delta-presence: the share of each class of the population that is in the release, at the smallest and the largest.
-- One row: all classes of the population.
-- Reads: classes
-- Binds: classes (table)
-- Result: min and max; a class of the population that is not in the release has the share 0; one that is released and
--   not in the population has an infinite share.
-- NULL: persons is NULL for a class that is not in the release: nobody.
WITH shares AS (
    SELECT CASE WHEN held = 0 THEN 'infinity'::DOUBLE ELSE coalesce(persons, 0) / held END AS share
    FROM classes
)
SELECT min(share) AS "min", max(share) AS "max"
FROM shares
