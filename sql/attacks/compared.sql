-- Per target and pattern of agreement in the known columns, the released rows that agree so, and the target's own of them.
-- One row: a target and a pattern.
-- Reads: targets, released_rows
-- Binds: attributes (list), known (list)
-- Result: temporary table compared: target; pattern, a bit for each known column; records; own_rows, the records of the rows
--   that agree in all attributes.
-- NULL: a value that no label covers agrees with no row.
CREATE OR REPLACE TEMPORARY TABLE compared AS
SELECT
    target,
    pattern,
    sum(records)::BIGINT AS records,
    coalesce(sum(records) FILTER (WHERE own), 0)::BIGINT AS own_rows
FROM (
    SELECT
        t.target,
        (sum_of(known, CASE WHEN {covered} THEN 1::BIGINT << {n} ELSE 0 END))::BIGINT AS pattern,
        (all_of(attributes, {covered})) AS own,
        c.records
    FROM targets AS t
    CROSS JOIN released_rows AS c
) AS pairs
GROUP BY target, pattern
