-- How many records of the frequency set have NULL in a column.
-- One row: the whole frequency set.
-- Reads: the frequency set
-- Binds: raw_value (column), frequency_set (table)
-- NULL: is what is counted.
SELECT coalesce(sum("#records") FILTER (WHERE raw_value IS NULL), 0)::BIGINT
FROM frequency_set
