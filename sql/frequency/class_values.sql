-- The values of the class, numbered in their order.
-- One row: a class value.
-- Reads: the frequency set
-- Binds: class_value (column), frequency_set (table)
-- NULL: has no row; its code is 0 wherever codes are used.
CREATE OR REPLACE TABLE class_values AS
SELECT
    class_value AS value,
    (row_number() OVER (ORDER BY class_value))::INTEGER AS code,
    sum("#records")::BIGINT AS records
FROM frequency_set
WHERE class_value IS NOT NULL
GROUP BY class_value
