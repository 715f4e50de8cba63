-- The frequency set by combination of quasi-identifiers, value of the class, and value of a sensitive column.
-- One row: such a cell, by combination.
-- Reads: combined_set, sensitive_codes
-- Binds: class_value (column), sensitive (column)
-- Result: combination; class_code, from 1 in the order of class values; value_code, as in measures/sensitive_codes.sql; records.
-- NULL: of the class and of the sensitive column a value of its own.
WITH coded AS (
    SELECT
        "#combination" AS combination,
        dense_rank() OVER (ORDER BY class_value) AS class_code,
        sensitive_codes.code AS value_code,
        "#records" AS records
    FROM combined_set
    JOIN sensitive_codes ON sensitive IS NOT DISTINCT FROM sensitive_codes.value
)
SELECT combination, class_code, value_code, sum(records)::BIGINT AS records
FROM coded
GROUP BY ALL
ORDER BY ALL
