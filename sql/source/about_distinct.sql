-- About how many distinct values some columns have together.
-- One row: the source.
-- Reads: source
-- Binds: columns (list)
-- Result: the sum over the columns of their estimates.
-- NULL: is not counted.
SELECT sum_of(columns, approx_count_distinct("{name}"))
FROM source
