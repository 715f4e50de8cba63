-- The released rows that most likely belong to each target, by the match weights that Splink gave to pairs of target
-- and class.
-- One row: a target.
-- Reads: predicted, the pairs that Splink weighed; splink_rows; splink_own
-- Binds: predicted (table)
-- Result: temporary table linked: target; first_rows, second_rows and common_rows, all the number of rows of the
--   highest weight; own_rows, those of them that agree with the target in all that is released.
CREATE OR REPLACE TEMP TABLE linked AS
WITH weighed AS (
    SELECT unique_id_l AS target, unique_id_r AS member, round(match_weight, 9) AS weight
    FROM predicted
), best AS (
    SELECT target, member
    FROM weighed
    QUALIFY weight = max(weight) OVER (PARTITION BY target)
)
SELECT
    best.target,
    sum(splink_rows.records)::BIGINT AS first_rows,
    sum(splink_rows.records)::BIGINT AS second_rows,
    sum(splink_rows.records)::BIGINT AS common_rows,
    coalesce(sum(own.records), 0)::BIGINT AS own_rows
FROM best
JOIN splink_rows ON splink_rows.unique_id = best.member
LEFT JOIN splink_own AS own ON own.target = best.target AND own.member = best.member
GROUP BY best.target
