-- A sample of the source that an engine drew, which the looks of its columns come from.
-- One row: a record.
-- Reads: what was fetched from the engine
-- Binds: fetched (table)
-- Result: temporary table source_sample: the columns of the source.
-- NULL: is kept.
CREATE OR REPLACE TEMP TABLE source_sample AS
SELECT *
FROM fetched
