-- The rows of a query that are sorted by their values, dealt to 64 buckets by a hash of their position.
-- One row: as in the query.
-- Reads: the query sorted, whose order DuckDB keeps
-- Binds: released (list), columns (list), place (column)
-- Result: the columns, bucket by bucket, sorted inside: see anonduck/statements/row_order.py, which computes the same
--   elsewhere. The place, from 1, is called as no column is.
-- NULL: stays NULL.
SELECT each(columns, {shown})
FROM (
    SELECT each(columns, sorted."{name}"), row_number() OVER () AS place
    FROM (
        each(released, {query})
    ) AS sorted
) AS placed
ORDER BY
    (
        ((placed.place % 2147483647 * 1103515245 + 12345) % 2147483647)
        * ((placed.place % 2147483647 * 1103515245 + 12345) % 2147483647) % 2147483647
        * ((placed.place % 2147483647 * 1103515245 + 12345) % 2147483647 + 987654321)
    ) % 2147483647 % 64,
    placed.place
