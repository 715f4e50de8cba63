-- The answer to a query of a workload.
-- One row: a row of the answer.
-- Reads: what the query reads
-- Binds: $query (value), $most (value)
-- Result: its columns, of $most rows at most.
-- NULL: stays.
SELECT *
FROM query($query)
LIMIT $most
