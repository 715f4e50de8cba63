-- The released rows that agree with people of a placed table in all attributes.
-- One row: one of at most $limit distinct records and such a row.
-- Reads: pool (a placed table), released_rows
-- Binds: attributes (list), pool (table), $limit (value)
-- Result: person, a number; people, how many are alike; class and records of the row.
-- NULL: a value that no label covers agrees with no row.
SELECT t.person, t.records AS people, c.class, c.records
FROM (
    SELECT row_number() OVER (ORDER BY hash(s)) AS person, s.*
    FROM pool AS s
    ORDER BY hash(s)
    LIMIT $limit
) AS t
JOIN released_rows AS c ON all_of(attributes, {agrees})
