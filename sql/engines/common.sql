-- The values of a column of a table in a warehouse that many records hold.
-- One row: such a value, and one for all others.
-- Reads: table_rows, the records as they are read (anonduck/engines/warehouse_queries.py), with one column
-- Binds: table_rows (list), enough (list)
-- Result: value and records, both NULL for all others; n, how many values the row stands for.
-- NULL: is a value of its own.
SELECT m.common_value, m.records, count(*) AS n
FROM (
    SELECT
        CASE WHEN all_of(enough, g.records >= {least}) THEN g.c0 END AS common_value,
        CASE WHEN all_of(enough, g.records >= {least}) THEN g.records END AS records
    FROM (SELECT t.c0, count(*) AS records FROM each(table_rows, {rows}) AS t GROUP BY t.c0) AS g
) AS m
GROUP BY m.common_value, m.records
