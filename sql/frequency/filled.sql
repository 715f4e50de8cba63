-- How many records have a value in a column.
-- One row: the column.
-- Reads: counted (the value counts of some columns)
-- Binds: raw_value (column), counted (table)
-- NULL: is not counted; rows of other columns are NULL here.
SELECT coalesce(sum("#records") FILTER (WHERE raw_value IS NOT NULL), 0)::BIGINT
FROM counted
