-- Effect: puts NULL in the place of numbers outside a range.
-- One row: a combination of values with such a number.
-- Reads: release_set
-- Binds: held_value (column), $least (value), $largest (value)
-- NULL: stays. NaN is above all numbers.
UPDATE release_set
SET held_value = NULL
WHERE held_value < $least OR held_value > $largest
