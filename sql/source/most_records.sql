-- The most records that have one value of a column, to learn how many records a person has whose key it is.
-- One row: the column.
-- Reads: source, in one scan
-- Binds: held_value (column)
-- Result: records (BIGINT), NULL where there is no record.
-- NULL: is a value of its own.
SELECT max(records) AS records
FROM (
    SELECT count(*) AS records
    FROM source
    GROUP BY held_value
) AS sizes
