-- The rows of a query in the order of a release: sorted, then dealt to 64 buckets by a hash of their position.
-- One row: as in the query.
-- Reads: the query sorted, whose order DuckDB keeps; elsewhere the rows are numbered in an order that is given
-- Binds: rows (field), columns (list), ordered (list), place (column)
-- Result: the columns, bucket by bucket, sorted inside: see anonduck/statements/row_order.py, which computes the same
--   of rows that have their position. The place, from 1, is called as no column is.
-- NULL: stays NULL.
SELECT each(columns, {shown})
FROM (
    SELECT each(columns, sorted."{name}"), row_number() OVER (ORDER BY each(ordered, {by};)) AS place
    FROM {rows} AS sorted
) AS placed
ORDER BY
    (
        ((placed.place % 2147483647 * 1103515245 + 12345) % 2147483647)
        * ((placed.place % 2147483647 * 1103515245 + 12345) % 2147483647) % 2147483647
        * ((placed.place % 2147483647 * 1103515245 + 12345) % 2147483647 + 987654321)
    ) % 2147483647 % 64,
    placed.place
