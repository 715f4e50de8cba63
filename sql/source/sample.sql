-- A sample of the source, which the looks of its columns come from.
-- One row: a record.
-- Reads: source, in one scan.
-- Result: temporary table source_sample: the columns of the source; all records up to 100,000, else a sample of so
--   many.
-- NULL: is kept.
CREATE OR REPLACE TEMP TABLE source_sample AS
SELECT *
FROM source
USING SAMPLE reservoir(100000 ROWS) REPEATABLE (0)
