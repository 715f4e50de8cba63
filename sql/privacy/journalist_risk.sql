-- Journalist risk: the chance of picking the right person of the population for a released record.
-- One row: all released classes.
-- Reads: classes
-- Binds: classes (table), $threshold (value)
-- Result: highest; average; at_risk, the share of records whose risk exceeds the threshold.
-- NULL: a class without number is one of the population alone, and is left out. A released class that the population
--   lacks counts with its own size.
WITH sizes AS (
    SELECT records, coalesce(nullif(held, 0), persons) AS held
    FROM classes
    WHERE class IS NOT NULL
)
SELECT
    max(1 / held) AS highest,
    greatest(count(*) / sum(held), sum(records / held) / sum(records)) AS average,
    coalesce(sum(records) FILTER (WHERE 1 / held > $threshold), 0) / sum(records) AS at_risk
FROM sizes
