-- The rare numbers that are not under the step at hand: at first none.
-- One row: none.
-- Reads: rare_numbers
-- Result: temporary table splitting: stretch, value, records, digits and scale (the number is digits * 10^scale).
CREATE OR REPLACE TEMP TABLE splitting AS
SELECT stretch, value, records, digits, scale
FROM rare_numbers
WHERE FALSE
