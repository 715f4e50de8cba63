-- How many records of a frequency set, or of value counts, have NULL in a column.
-- One row: the whole frequency set.
-- Reads: the frequency set
-- Binds: raw_value (column), frequency_set (table)
-- NULL: is what is counted. In value counts, the rows of other columns are NULL here too.
SELECT coalesce(sum("#records") FILTER (WHERE raw_value IS NULL), 0)::BIGINT
FROM frequency_set
