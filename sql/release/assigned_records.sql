-- The number of the class that each record was assigned to.
-- One row: a record's key.
-- Reads: assigned_keys, assigned_classes
-- NULL: does not occur; such lines were refused.
CREATE OR REPLACE TEMP TABLE assigned_records AS
SELECT assigned_keys.key, assigned_classes.assigned
FROM assigned_keys
JOIN assigned_classes ON assigned_classes.class = assigned_keys.class
