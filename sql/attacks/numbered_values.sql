-- The values that are attacked by number, for what is looked up in memory.
-- One row: an attribute and a distinct value of the original or the control.
-- Reads: places
-- Result: temporary table numbered_values: attribute; value; number, from 0; original, the records of the original that
--   hold it.
-- NULL: a value of its own, numbered last.
CREATE OR REPLACE TEMP TABLE numbered_values AS
SELECT attribute, value, row_number() OVER (PARTITION BY attribute ORDER BY value NULLS LAST) - 1 AS number, original
FROM places
