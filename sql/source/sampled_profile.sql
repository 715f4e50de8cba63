-- How many records a sample of the source has, and how many values of each column are filled and how many distinct.
-- One row: the whole sample.
-- Reads: a sample that holds all records
-- Binds: sampled (table)
-- Result: rows; then the filled (non-NULL) values of each column, in the order of the columns; then the distinct
--   values of each column, in the same order.
-- NULL: counts as neither filled nor distinct.
SELECT
    count(*) AS rows,
    count(COLUMNS(*)),
    count(DISTINCT COLUMNS(*))
FROM sampled
