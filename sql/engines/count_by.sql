-- The distinct combinations of columns of a table in a warehouse.
-- One row: a combination.
-- Reads: table_rows, the records as they are read (anonduck/engines/warehouse_queries.py)
-- Binds: table_rows (list), columns (list), rounded (list)
-- Result: c0 and so on; where numbers were read as DOUBLE, whether one of them was rounded; records.
-- NULL: is a value of its own.
SELECT
    each(columns, t.c{n};),
    each(rounded, bool_or(t.rounded) AS rounded;),
    count(*) AS records
FROM each(table_rows, {rows}) AS t
GROUP BY each(columns, t.c{n};)
