-- A number for each sampled value, the same for equal values, to compare columns with one another.
-- One row: a sampled record.
-- Reads: source_sample
-- Result: one hash (UBIGINT) per column, in the order of the columns; two of 100,000 values share one with a chance of
--   under one in a billion.
-- NULL: has a hash of its own, the same in all columns.
SELECT hash(COLUMNS(*))
FROM source_sample
