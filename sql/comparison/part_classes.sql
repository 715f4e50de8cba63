-- The class codes of a release of a training part, beside those among all records.
-- One row: a distinct value of the class in the part.
-- Reads: compared_part, released_class_values
-- Binds: class_value (column)
-- Result: part_code; code.
-- NULL: is a value of its own.
SELECT DISTINCT released_class_values.code AS part_code, compared_part."#class" AS code
FROM compared_part
JOIN released_class_values ON released_class_values.value IS NOT DISTINCT FROM compared_part.class_value
