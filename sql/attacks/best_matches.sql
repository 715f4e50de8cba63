-- The released rows that most likely belong to each target: those of the highest match weight.
-- One row: a target.
-- Reads: compared, agreement
-- Result: temporary table linked: target; first_rows, second_rows and common_rows, all the number of rows of the
--   highest weight; own_rows, those of them that agree with the target in all that is released. The weight of a pair
--   is the sum over columns of log2(m / u) where they agree, of log2((1 - m) / (1 - u)) where not (Fellegi and Sunter
--   1969).
CREATE OR REPLACE TEMP TABLE linked AS
WITH weights AS (
    SELECT
        patterns.pattern,
        round(sum(CASE WHEN (patterns.pattern >> place) & 1 = 1 THEN log2(m / u) ELSE log2((1 - m) / (1 - u)) END), 9) AS weight
    FROM (SELECT DISTINCT pattern FROM compared) AS patterns
    CROSS JOIN agreement
    GROUP BY patterns.pattern
), weighed AS (
    SELECT
        compared.target,
        compared.records,
        compared.own_rows,
        weights.weight,
        max(weights.weight) OVER (PARTITION BY compared.target) AS highest
    FROM compared
    JOIN weights ON weights.pattern = compared.pattern
)
SELECT
    target,
    sum(records)::BIGINT AS first_rows,
    sum(records)::BIGINT AS second_rows,
    sum(records)::BIGINT AS common_rows,
    sum(own_rows)::BIGINT AS own_rows
FROM weighed
WHERE weight = highest
GROUP BY target
