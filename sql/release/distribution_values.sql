-- The values of the class, as distributions name them.
-- One row: a value, in the order of its code.
-- Reads: combined_set
-- Binds: class_value (column)
-- Result: value, as text.
-- NULL: comes last.
SELECT class_value::VARCHAR AS value
FROM combined_set
GROUP BY class_value
ORDER BY class_value
