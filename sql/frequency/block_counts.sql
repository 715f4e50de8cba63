-- The records of each cell in each of ten blocks: stretches of about as many records in the order of a column's values.
-- One row: a distinct combination of quasi-identifier leaves and class, in the order of the cells.
-- Reads: coded_split
-- Binds: leaves (columns)
-- Result: a value lies in one block as a whole, that in which the middle one of its records falls.
-- NULL: is code 0 in leaves and class; a NULL of the column comes before all values.
WITH held AS (
    SELECT "#split" AS value, sum("#records")::HUGEINT AS n
    FROM coded_split
    GROUP BY "#split"
), placed AS (
    SELECT value, n, sum(n) OVER (ORDER BY value NULLS FIRST) - n AS before, sum(n) OVER () AS total
    FROM held
), blocks AS (
    SELECT value, (10 * (2 * before + n - 1) // (2 * total))::INTEGER AS block
    FROM placed
)
SELECT
    coalesce(sum("#records") FILTER (WHERE block = 0), 0)::BIGINT AS fold_0,
    coalesce(sum("#records") FILTER (WHERE block = 1), 0)::BIGINT AS fold_1,
    coalesce(sum("#records") FILTER (WHERE block = 2), 0)::BIGINT AS fold_2,
    coalesce(sum("#records") FILTER (WHERE block = 3), 0)::BIGINT AS fold_3,
    coalesce(sum("#records") FILTER (WHERE block = 4), 0)::BIGINT AS fold_4,
    coalesce(sum("#records") FILTER (WHERE block = 5), 0)::BIGINT AS fold_5,
    coalesce(sum("#records") FILTER (WHERE block = 6), 0)::BIGINT AS fold_6,
    coalesce(sum("#records") FILTER (WHERE block = 7), 0)::BIGINT AS fold_7,
    coalesce(sum("#records") FILTER (WHERE block = 8), 0)::BIGINT AS fold_8,
    coalesce(sum("#records") FILTER (WHERE block = 9), 0)::BIGINT AS fold_9
FROM coded_split
JOIN blocks ON coded_split."#split" IS NOT DISTINCT FROM blocks.value
GROUP BY leaves, "#class"
ORDER BY leaves, "#class"
