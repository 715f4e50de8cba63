-- The category of an ICD-10 code: its first three characters.
-- One row: a value.
-- Reads: a relation with one column, value
-- Binds: written (table)
-- Result: value, code (E119 for E11.9, e119 or E11.9*) and key (E11); NULL for what is written otherwise.
-- NULL: no such value is looked up.
SELECT
    value,
    code,
    nullif(left(code, 3), '') AS key
FROM (
    SELECT
        value,
        regexp_extract(text, '^([A-Z][0-9][0-9A-Z])(\.?[0-9A-Z]{0,4}|\.-)[+*!]?$', 1)
        || regexp_extract(text, '^[A-Z][0-9][0-9A-Z]\.?([0-9A-Z]{0,4})[+*!]?$', 1) AS code
    FROM (
        SELECT
            value,
            upper(trim(CAST(value AS VARCHAR))) AS text
        FROM written
    ) AS texts
) AS codes
WHERE value IS NOT NULL
