-- One number for each row of a relation, whose digits are the places of its values among those of their columns.
-- One row: a row of the relation.
-- Reads: relation, the tables packed_0, packed_1, ... (value_0, ..., code: the place of a value)
-- Binds: relation (table), digits (list)
-- Result: row: the number; the first digit counts most.
-- NULL: a value of its own.
SELECT sum_of(digits, packed_{place}.code * {step}) AS "row"
FROM relation AS r
joins(digits, JOIN packed_{place} ON all_of(names, r."{name}" IS NOT DISTINCT FROM packed_{place}.value_{n}))
