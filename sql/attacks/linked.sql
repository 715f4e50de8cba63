-- Per target the released rows that are nearest to it by some columns, by others and by both, and its own of those.
-- One row: a target.
-- Reads: targets, released_rows
-- Binds: attributes (list), first_columns (list), second_columns (list)
-- Result: temporary table linked: target; first_rows, second_rows, common_rows, own_rows: the records of those rows. Nearest
--   is by Gower's distance (1971): the mean over columns of 0 where the label covers the value, else of the distance from
--   the value to the interval by the column's span, at most 1, or of 1 for names. Own rows agree in all attributes.
-- NULL: a value that no label covers, and a label without ends, are at distance 1.
CREATE OR REPLACE TEMPORARY TABLE linked AS
WITH distances AS NOT MATERIALIZED (
    SELECT
        t.target,
        (sum_of(first_columns, CASE WHEN {covered} THEN 0.0::DOUBLE ELSE {distance} END)) / (sum_of(first_columns, 1)) AS first,
        (sum_of(second_columns, CASE WHEN {covered} THEN 0.0::DOUBLE ELSE {distance} END)) / (sum_of(second_columns, 1)) AS second,
        (all_of(attributes, {covered})) AS own,
        c.records
    FROM targets AS t
    CROSS JOIN released_rows AS c
),
nearest AS (
    SELECT target, min(first) AS first, min(second) AS second
    FROM distances
    GROUP BY target
)
SELECT
    d.target,
    sum(d.records) FILTER (WHERE d.first = n.first)::BIGINT AS first_rows,
    sum(d.records) FILTER (WHERE d.second = n.second)::BIGINT AS second_rows,
    coalesce(sum(d.records) FILTER (WHERE d.first = n.first AND d.second = n.second), 0)::BIGINT AS common_rows,
    coalesce(sum(d.records) FILTER (WHERE d.first = n.first AND d.second = n.second AND d.own), 0)::BIGINT AS own_rows
FROM distances AS d
JOIN nearest AS n ON n.target = d.target
GROUP BY d.target
