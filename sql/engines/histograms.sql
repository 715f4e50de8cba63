-- The values of each of some columns of a table in a warehouse, by one scan.
-- One row: a value of one column, which has NULL in all others.
-- Reads: table_rows, the records as they are read (anonduck/engines/warehouse_queries.py)
-- Binds: table_rows (list), columns (list), rounded (list)
-- Result: c0 and so on; where numbers were read as DOUBLE, whether one of them was rounded; which column it is, from 0;
--   records.
-- NULL: is a value of its own.
SELECT
    each(columns, t.c{n}),
    each(rounded, bool_or(t.rounded) AS rounded;),
    CASE branches(columns, WHEN GROUPING(t.c{n}) = 0 THEN {n}) END AS which,
    count(*) AS records
FROM each(table_rows, {rows}) AS t
GROUP BY GROUPING SETS (each(columns, (t.c{n})))
