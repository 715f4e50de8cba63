-- The released rows of the highest match weight of each target, by the weight of each label.
-- One row: a target.
-- Reads: targets, released_rows, label_weights, own_rates
-- Binds: attributes (list), known (list)
-- Result: temporary table linked: target; first_rows, second_rows and common_rows, all the records of those rows; own_rows,
--   the chance that one of them is the target's own: the share that they have in the own_rates of all rows that agree with
--   it in all attributes.
-- NULL: a value that no label covers agrees with no row.
CREATE OR REPLACE TEMPORARY TABLE linked AS
WITH pairs AS NOT MATERIALIZED (
    SELECT
        t.target,
        round(sum_of(known, CASE WHEN {covered} THEN w{number}.agrees ELSE w{number}.differs END), 9) AS weight,
        CASE WHEN all_of(attributes, {covered}) THEN o.rate ELSE 0 END AS rate,
        c.records
    FROM targets AS t
    CROSS JOIN released_rows AS c
    LEFT JOIN own_rates AS o ON o.class = c.class
    joins(known,
        JOIN label_weights AS w{number} ON w{number}.attribute = {number} AND w{number}.label = c.l_{number}
    )
),
best AS (
    SELECT target, max(weight) AS weight, sum(rate) AS rate
    FROM pairs
    GROUP BY target
)
SELECT
    p.target,
    sum(p.records)::BIGINT AS first_rows,
    sum(p.records)::BIGINT AS second_rows,
    sum(p.records)::BIGINT AS common_rows,
    coalesce(sum(p.rate) / nullif(any_value(b.rate), 0), 0)::DOUBLE AS own_rows
FROM pairs AS p
JOIN best AS b ON b.target = p.target AND b.weight = p.weight
GROUP BY p.target
