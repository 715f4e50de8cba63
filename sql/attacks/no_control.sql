-- The empty table of a control group's values, where no control group is given.
-- One row: none.
-- Reads: original_values
-- Result: temporary table control_values: attribute, value, records.
CREATE OR REPLACE TEMP TABLE control_values AS
SELECT attribute, value, records
FROM original_values
LIMIT 0
