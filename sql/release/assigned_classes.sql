-- The assigned classes, numbered in the order of their names, whatever the order of lines.
-- One row: a class.
-- Reads: assigned_keys
-- Result: class, assigned (its number).
-- NULL: does not occur; such lines were refused.
CREATE OR REPLACE TEMP TABLE assigned_classes AS
SELECT class, (row_number() OVER (ORDER BY class))::INTEGER AS assigned
FROM assigned_keys
GROUP BY class
