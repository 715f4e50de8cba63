-- The records of a source with a number for each value of the columns of a cut tree.
-- One row: a record.
-- Reads: the relation, as s
-- Binds: relation (field), values (list)
-- Result: the columns of the relation; the numbers.
-- NULL: a value as any other.
SELECT s.*, each(values, dense_rank() OVER (ORDER BY {key}) AS "{id}")
FROM {relation}
