-- How many people the records stand for that attacks/people_behind.sql compares.
-- One row: their number, people.
-- Reads: pool (a placed table)
-- Binds: pool (table), $limit (value)
-- Result: people.
-- NULL: without records.
SELECT sum(t.records)::BIGINT AS people
FROM (SELECT s.records FROM pool AS s ORDER BY hash(s) LIMIT $limit) AS t
