-- A number for each value of a sensitive column, so that requirements can be judged in memory.
-- One row: a value that the column holds.
-- Reads: a table that holds the column
-- Binds: sensitive (column), coded (table), $named (value), $null_named (value), $harmless (value),
--   $declared (value)
-- Result: temporary table sensitive_codes: value; code, from 0 in the order that the ordered distance takes, NULL last; number
--   and moment, whether the value reads as one; declared, whether the declared order has it; concerning, as in privacy/cells.sql.
-- NULL: a value of its own, neither number nor moment; declared is NULL.
CREATE OR REPLACE TEMP TABLE sensitive_codes AS
WITH held AS (
    SELECT DISTINCT sensitive AS value
    FROM coded
)
SELECT
    value,
    row_number() OVER (
        ORDER BY
            value IS NULL,
            list_position($declared::VARCHAR[], value::VARCHAR),
            try_cast(value::VARCHAR AS DOUBLE),
            try_cast(value::VARCHAR AS TIMESTAMP),
            value::VARCHAR
    ) - 1 AS code,
    try_cast(value::VARCHAR AS DOUBLE) IS NOT NULL AS number,
    try_cast(value::VARCHAR AS TIMESTAMP) IS NOT NULL AS moment,
    list_contains($declared::VARCHAR[], value::VARCHAR) AS declared,
    CASE
        WHEN len($named::VARCHAR[]) = 0 AND NOT $null_named THEN $harmless
        WHEN value IS NULL THEN $null_named <> $harmless
        ELSE list_contains($named::VARCHAR[], value::VARCHAR) <> $harmless
    END AS concerning
FROM held
