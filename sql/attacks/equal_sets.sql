-- For each number of records, how many distinct rows original and control group hold that often together,
-- and how many of these rows both groups hold.
-- One row: a number of records that a distinct row has in both groups together, from 2 up.
-- Reads: the two groups, each distinct row with its number of records
-- Binds: compared (columns), ours (table), theirs (table)
-- Result: records, of one such row in both groups together, at least 2; held, how many distinct rows have so many;
--   split, how many of them are in both groups.
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
    (original + control)::BIGINT AS records,
    count(*) AS held,
    count(*) FILTER (WHERE original > 0 AND control > 0) AS split
FROM counted
WHERE original + control > 1
GROUP BY records
ORDER BY records
