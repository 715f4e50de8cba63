-- Where each value that the export holds stands in a taxonomy whose leaves are matched by value.
-- One row: a distinct value of the column.
-- Reads: the frequency set, the column's taxonomy
-- Binds: raw_value (column), paths (columns), frequency_set (table), taxonomy (table), lookup (table)
-- Result: code_0 numbers the values in their order; a value that the taxonomy lacks has NULL in its path.
-- NULL: has no row.
CREATE OR REPLACE TABLE lookup AS
SELECT
    held.value,
    held.records,
    (row_number() OVER (ORDER BY held.value))::INTEGER AS code_0,
    taxonomy.paths
FROM (
    SELECT raw_value AS value, sum("#records")::BIGINT AS records
    FROM frequency_set
    WHERE raw_value IS NOT NULL
    GROUP BY raw_value
) AS held
LEFT JOIN taxonomy ON held.value = taxonomy.value
