-- Records of a table in a warehouse in a random order, all of them or about a share.
-- One row: a record.
-- Reads: table_rows, the records as they are read (anonduck/engines/warehouse_queries.py)
-- Binds: table_rows (list), columns (list), shares (list), drawn (list)
-- Result: c0 and so on.
-- NULL: is kept.
SELECT each(columns, t.c{n})
FROM each(table_rows, {rows}) AS t
WHERE all_of(shares, {number} < {share}; TRUE)
ORDER BY each(drawn, {number})
