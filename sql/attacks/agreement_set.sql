-- Makes the estimates of a step of expectation and maximization those that the next step begins with.
-- One row: a column that is compared.
-- Reads: the estimates
-- Binds: estimated (table)
-- Result: temporary table agreement: place, m, u.
-- NULL: does not occur.
CREATE OR REPLACE TEMP TABLE agreement AS
SELECT place, m, u
FROM estimated
