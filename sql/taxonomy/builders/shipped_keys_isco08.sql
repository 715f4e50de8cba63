-- The sub-major group of an ISCO-08 code of one to four digits: its first two; or its major group, where it says no
-- more.
-- One row: a value.
-- Reads: a relation with one column, value
-- Binds: written (table)
-- Result: value, code (digits; OC25 is 25; the numbers 110, 210 and 310, which are no groups, are 0110, 0210 and
--   0310) and key (25 for 2512, 2 for 2, 20 or 2000); NULL for what is no such code.
-- NULL: no such value is looked up.
SELECT
    value,
    code,
    CASE
        WHEN regexp_matches(code, '^[0-9]0*$') THEN left(code, 1)
        ELSE nullif(left(code, 2), '')
    END AS key
FROM (
    SELECT
        value,
        CASE
            WHEN typeof(value) <> 'VARCHAR' AND text IN ('110', '210', '310') THEN '0' || text
            ELSE regexp_extract(text, '^(OC)?([0-9]{1,4})$', 2)
        END AS code
    FROM (
        SELECT
            value,
            CASE
                WHEN typeof(value) = 'VARCHAR' THEN upper(trim(CAST(value AS VARCHAR)))
                ELSE regexp_replace(CAST(value AS VARCHAR), '\.0+$', '')
            END AS text
        FROM written
    ) AS texts
) AS codes
WHERE value IS NOT NULL
