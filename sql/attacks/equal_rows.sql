-- How many records of the control group are the same as one of the original, beside how many records of the original
-- have a twin in the original: if both are drawn from one population, the two shares are about the same.
-- One row: both groups.
-- Reads: the two groups, each distinct row with its number of records
-- Binds: compared (columns), ours (table), theirs (table)
-- Result: equal, the records of the control group that equal one of the original; control, its records; twins, the
--   records of the original that equal another of it; original, its records; alike, whether both hold the same rows,
--   each as often.
-- NULL: a value of its own, equal to NULL.
WITH every AS (
    SELECT compared, ours.records AS original, 0 AS control FROM ours
    UNION ALL
    SELECT compared, 0 AS original, theirs.records AS control FROM theirs
), counted AS (
    SELECT compared, sum(original) AS original, sum(control) AS control
    FROM every
    GROUP BY compared
)
SELECT
    coalesce(sum(control) FILTER (WHERE original > 0), 0)::BIGINT AS equal,
    sum(control)::BIGINT AS control,
    coalesce(sum(original) FILTER (WHERE original > 1), 0)::BIGINT AS twins,
    sum(original)::BIGINT AS original,
    bool_and(original = control) AS alike
FROM counted
