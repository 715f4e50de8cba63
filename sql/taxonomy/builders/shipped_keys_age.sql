-- The number of completed years that an age stands for, in three digits.
-- One row: a value.
-- Reads: a relation with one column, value
-- Binds: written (table)
-- Result: value, code and key (such as 034); NULL for what is no number from 0 to under 1000.
-- NULL: no such value is looked up.
SELECT
    value,
    key AS code,
    key
FROM (
    SELECT
        value,
        CASE
            WHEN years >= 0 AND years < 1000 THEN lpad(CAST(CAST(floor(years) AS INTEGER) AS VARCHAR), 3, '0')
        END AS key
    FROM (
        SELECT
            value,
            TRY_CAST(trim(CAST(value AS VARCHAR)) AS DOUBLE) AS years
        FROM written
    ) AS ages
) AS keys
WHERE value IS NOT NULL
