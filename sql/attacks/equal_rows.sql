-- How often the original and the control group hold the same row.
-- One row: a pair of counts that some distinct row has in the two groups.
-- Reads: the two groups, each distinct row with its number of records
-- Binds: compared (columns), ours (table), theirs (table)
-- Result: original and control, how many records of each group are that row; held, how many distinct rows have these
--   counts.
-- NULL: a value of its own, equal to NULL.
WITH every AS (
    SELECT compared, ours.records AS original, 0 AS control FROM ours
    UNION ALL
    SELECT compared, 0 AS original, theirs.records AS control FROM theirs
), counted AS (
    SELECT compared, sum(original)::BIGINT AS original, sum(control)::BIGINT AS control
    FROM every
    GROUP BY compared
)
SELECT original, control, count(*) AS held
FROM counted
GROUP BY original, control
ORDER BY original, control
