-- The distinct rows of a release by swapping, with the records of each.
-- One row: a combination of values.
-- Reads: swap_set, given_swaps (own, b0, ...: the rows whose values a record shows, its own or in each block of columns)
-- Binds: columns (list), blocks (list)
-- Result: table release_rows: each column, "#records".
-- NULL: a value of its own.
CREATE OR REPLACE TABLE release_rows AS
SELECT each(columns, {row}."{name}@value" AS "{name}@value"), count(*) AS "#records"
FROM given_swaps AS swap
JOIN swap_set AS own ON own."#row" = swap.own
joins(blocks, JOIN swap_set AS b{n} ON b{n}."#row" = swap.b{n};)
GROUP BY ALL
