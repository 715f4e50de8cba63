-- The distinct sampled values of a column as text.
-- One row: a value.
-- Reads: source_sample
-- Binds: held (column)
-- Result: temporary table sampled_values: value.
-- NULL: left out.
CREATE OR REPLACE TEMP TABLE sampled_values AS
SELECT DISTINCT CAST(held AS VARCHAR) AS value
FROM source_sample
WHERE held IS NOT NULL
