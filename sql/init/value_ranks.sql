-- The place of each column's value among its values in their order, for each sampled record.
-- One row: a sampled record, in the order of the sample.
-- Reads: source_sample
-- Binds: columns (list)
-- Result: rank_0, rank_1, ..., from 1 on.
-- NULL: is a value, the first one.
SELECT each(columns, dense_rank() OVER (ORDER BY value_{n} NULLS FIRST) AS rank_{n})
FROM (
    SELECT
        each(columns, "{name}" AS value_{n}),
        row_number() OVER () AS place
    FROM source_sample
) AS held
ORDER BY place
