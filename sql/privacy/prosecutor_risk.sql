-- Prosecutor risk: the chance of picking the right record of somebody who is known to be in the release.
-- One row: all released classes.
-- Reads: classes
-- Binds: classes (table), $threshold (value)
-- Result: highest; average over records; at_risk, the share of records whose risk exceeds the threshold.
-- NULL: a class without number is one of the population alone, and is left out.
SELECT
    max(1 / persons) AS highest,
    sum(records / persons) / sum(records) AS average,
    coalesce(sum(records) FILTER (WHERE 1 / persons > $threshold), 0) / sum(records) AS at_risk
FROM classes
WHERE class IS NOT NULL
