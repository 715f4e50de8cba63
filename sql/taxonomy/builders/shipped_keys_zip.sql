-- The first three digits of a US ZIP code of five digits, or of nine with or without a dash.
-- One row: a value.
-- Reads: a relation with one column, value
-- Binds: written (table)
-- Result: value, code (five digits) and key (three digits; a number has its leading zeros back); NULL for what is no
--   ZIP code, and for 000, which no area has.
-- NULL: no such value is looked up.
SELECT
    value,
    code,
    CASE WHEN left(code, 3) <> '000' THEN left(code, 3) END AS key
FROM (
    SELECT
        value,
        nullif(regexp_extract(padded, '^([0-9]{5})(-?[0-9]{4})?$', 1), '') AS code
    FROM (
        SELECT
            value,
            CASE
                WHEN typeof(value) = 'VARCHAR' THEN whole
                WHEN length(whole) <= 5 THEN lpad(whole, 5, '0')
                WHEN length(whole) <= 9 THEN lpad(whole, 9, '0')
                ELSE whole
            END AS padded
        FROM (
            SELECT
                value,
                regexp_replace(trim(CAST(value AS VARCHAR)), '\.0+$', '') AS whole
            FROM written
        ) AS texts
    ) AS digits
) AS codes
WHERE value IS NOT NULL
