-- The answer to a query of a workload.
-- One row: a row of the answer.
-- Reads: workload_answer
-- Binds: $most (value)
-- Result: its columns, of $most rows at most.
-- NULL: stays.
SELECT *
FROM workload_answer
LIMIT $most
