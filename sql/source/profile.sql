-- How many records a table has, and how many values of some columns are filled and how many distinct.
-- One row: the whole table.
-- Reads: counted (the source, or a sample that holds all its records), in one scan. Distinct counts are exact and may
--   spill to disk.
-- Binds: counted (table), profiled (columns)
-- Result: rows; then the filled (non-NULL) values of each column, in the order of the columns; then the distinct
--   values of each column, in the same order.
-- NULL: counts as neither filled nor distinct.
SELECT
    count(*) AS rows,
    count(COLUMNS(*)),
    count(DISTINCT COLUMNS(*))
FROM (SELECT profiled FROM counted) AS block
