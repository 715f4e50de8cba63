-- The leaf codes of a column in a release of a training part, beside those among all records.
-- One row: a distinct value of the part.
-- Reads: compared_part, the column's lookup of the release
-- Binds: leaf (column), raw_value (column), lookup (table)
-- Result: part_code; code.
-- NULL: has no row; its code is 0 in both.
SELECT DISTINCT lookup.code_0 AS part_code, compared_part.leaf AS code
FROM compared_part
JOIN lookup ON lookup.value = compared_part.raw_value
