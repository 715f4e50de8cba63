-- How many predicates hold for exactly one record.
-- One row: the numbers of predicates in all, attacked, and of those that isolate a record, isolated.
-- Reads: predicates, pool (a placed table)
-- Binds: attributes (list), pool (table)
-- Result: attacked, isolated.
-- NULL: a value that no label covers meets no predicate.
SELECT count(*) AS attacked, count(*) FILTER (WHERE held = 1) AS isolated
FROM (
    SELECT c.class, coalesce(sum(t.records), 0) AS held
    FROM predicates AS c
    LEFT JOIN pool AS t ON all_of(attributes, {agrees})
    GROUP BY c.class
) AS held
