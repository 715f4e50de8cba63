-- How many records a table in a warehouse has, and how many values of some columns are filled and how many distinct.
-- One row: the whole table.
-- Reads: table_rows, the records as they are read (anonduck/engines/warehouse_queries.py)
-- Binds: table_rows (list), columns (list)
-- Result: records; then the filled values of each column; then the distinct values of each, or an estimate of them.
-- NULL: counts as neither filled nor distinct.
SELECT
    count(*) AS records,
    each(columns, count(t.c{n}) AS filled_{n};),
    each(columns, {distinct} AS distinct_{n};)
FROM each(table_rows, {rows}) AS t
