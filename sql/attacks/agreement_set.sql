-- Takes over the estimates of a step.
-- One row: a column that is compared.
-- Reads: the estimates
-- Binds: estimated (table)
-- Result: temporary table agreement: place, m, u.
-- NULL: does not occur.
CREATE OR REPLACE TEMP TABLE agreement AS
SELECT place, m, u
FROM estimated
