-- How many values and NULLs the class has, and how many records there are.
-- One row: the whole frequency set.
-- Reads: frequency_set
-- Binds: class_value (column)
-- NULL: counted apart.
SELECT
    coalesce(sum("#records"), 0)::BIGINT AS records,
    count(DISTINCT class_value) AS class_values,
    coalesce(sum("#records") FILTER (WHERE class_value IS NULL), 0)::BIGINT AS class_nulls
FROM frequency_set
