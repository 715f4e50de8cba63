-- The frequency set by combination of quasi-identifiers and value of the class.
-- One row: such a cell, by combination.
-- Reads: combined_set
-- Binds: class_value (column)
-- Result: combination; class_code, from 1 in the order of class values; records.
-- NULL: of the class a value of its own.
WITH coded AS (
    SELECT
        "#combination" AS combination,
        dense_rank() OVER (ORDER BY class_value) AS class_code,
        "#records" AS records
    FROM combined_set
)
SELECT combination, class_code, sum(records)::BIGINT AS records
FROM coded
GROUP BY ALL
ORDER BY ALL
