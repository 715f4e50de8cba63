-- Which columns of floating-point numbers of a table in a warehouse hold minus zero; DuckDB is asked by anonduck/privacy/audited_file.py.
-- One row: the whole table.
-- Reads: table_rows, the records as they are read (anonduck/engines/warehouse_queries.py)
-- Binds: table_rows (list), columns (list)
-- Result: c0 and so on, 1 where the column holds it.
-- NULL: is none.
SELECT each(columns, max(CASE WHEN t.c{n} = 0 AND CAST(t.c{n} AS {text}) LIKE '-%' THEN 1 ELSE 0 END) AS c{n})
FROM each(table_rows, {rows}) AS t
