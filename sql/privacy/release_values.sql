-- The labels of two releases together.
-- One row: an attribute and a distinct value of it in either release.
-- Reads: later_values, earlier_values
-- Result: temporary table release_values: attribute; value; records, those of both releases.
-- NULL: a value of its own.
CREATE OR REPLACE TEMP TABLE release_values AS
SELECT attribute, value, sum(records)::BIGINT AS records
FROM (SELECT * FROM later_values UNION ALL SELECT * FROM earlier_values)
GROUP BY attribute, value
