-- LKC: how many records share the values of some quasi-identifiers, and the share of their most frequent sensitive value.
-- One row: all combinations of values of these quasi-identifiers.
-- Reads: the classes by name, cells
-- Binds: attributes (columns), named_classes (table), cells (table)
-- Result: k, the records of the smallest combination; c, the largest share of one that has a concerning sensitive
--   value.
-- NULL: a value of its own, in attributes and in the sensitive column.
WITH combinations AS (
    SELECT class, dense_rank() OVER (ORDER BY row(0, attributes))::INTEGER AS combination
    FROM named_classes
), held AS (
    SELECT combinations.combination, sum(cells.holders) AS holders, bool_or(cells.concerning) AS concerning
    FROM cells
    JOIN combinations ON cells.class = combinations.class
    GROUP BY combinations.combination, cells.value
), sizes AS (
    SELECT combination, sum(holders) AS members, coalesce(max(holders) FILTER (WHERE concerning), 0) AS most
    FROM held
    GROUP BY combination
)
SELECT min(members)::BIGINT AS k, max(most / members) AS c
FROM sizes
