-- The values of the class as text.
-- One row: a value, in the order of its code, which starts at 1.
-- Reads: class_values
-- Result: text.
-- NULL: has no row; its code is 0.
SELECT value::VARCHAR AS text
FROM class_values
ORDER BY code
