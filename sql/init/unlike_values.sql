-- How many sampled records have another text in one column than in another, to learn whether the columns are the same.
-- One row: the two columns.
-- Reads: source_sample
-- Binds: first_value (column), second_value (column)
-- Result: records (BIGINT).
-- NULL: is a value of its own, alike to NULL alone.
SELECT count(*) AS records
FROM source_sample
WHERE CAST(first_value AS VARCHAR) IS DISTINCT FROM CAST(second_value AS VARCHAR)
