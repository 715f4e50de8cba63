-- How many values a column of a release has, and how long they are as text, to choose how its rows are written.
-- One row: the column.
-- Reads: the numbered values of a column
-- Binds: packed (table)
-- Result: how many values; bytes.
-- NULL: is a value, of no length.
SELECT
    count(*) AS number,
    coalesce(sum(strlen(value_0::VARCHAR)), 0)::BIGINT AS bytes
FROM packed
