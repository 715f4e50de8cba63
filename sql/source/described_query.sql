-- The columns of the answer to a query.
-- One row: a column, in their order.
-- Reads: what the query reads, of which no row
-- Binds: $query (value)
-- Result: column_name, column_type and more, as DuckDB describes them.
-- NULL: in what DuckDB does not know of an answer, such as keys.
DESCRIBE
SELECT *
FROM query($query)
