-- The distinct values of a column, to look for in a shipped taxonomy.
-- One row: a value.
-- Reads: the frequency set
-- Binds: frequency (table), source_value (column)
-- Result: temporary table shipped_values: value.
-- NULL: left out; NULL belongs to no taxonomy.
CREATE OR REPLACE TEMP TABLE shipped_values AS
SELECT DISTINCT source_value AS value
FROM frequency
WHERE source_value IS NOT NULL
