-- How many records hold a value that fewer than k records, or persons, hold.
-- One row: the column.
-- Reads: a frequency set of the column, or of the column and the key of persons, with a column "#records".
-- Binds: kept_value (column), counted (table), $k (value), $persons (value)
-- Result: rare, the records. With $persons each row of a value is one person.
-- NULL: is a value of its own, and one person.
WITH held AS (
    SELECT sum("#records") AS records, CASE WHEN $persons THEN count(*) ELSE sum("#records") END AS holders
    FROM counted
    GROUP BY kept_value
)
SELECT coalesce(sum(records) FILTER (WHERE holders < $k), 0)::BIGINT AS rare
FROM held
