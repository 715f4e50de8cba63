-- The division of a NACE Rev. 2 code: its first two digits.
-- One row: a value.
-- Reads: a relation with one column, value
-- Binds: written (table)
-- Result: value, code (digits: 1011 for 10.11, C10.11 or 1011) and key (10); NULL for what is no such code, and for a
--   number of three digits: 111 could be 01.11 or 11.1.
-- NULL: no such value is looked up.
SELECT
    value,
    code,
    nullif(left(code, 2), '') AS key
FROM (
    SELECT
        value,
        CASE
            WHEN typeof(value) <> 'VARCHAR' AND regexp_matches(text, '^[0-9]{3}$') THEN ''
            WHEN contains(text, '.')
                THEN CASE
                    WHEN regexp_matches(text, '^[0-9]{1,2}\.[0-9]{1,2}$')
                        THEN lpad(split_part(text, '.', 1), 2, '0') || split_part(text, '.', 2)
                    ELSE ''
                END
            WHEN length(text) = 1 THEN regexp_extract(lpad(text, 2, '0'), '^[0-9]{2}$')
            ELSE regexp_extract(text, '^[0-9]{2,4}$')
        END AS code
    FROM (
        SELECT
            value,
            CASE
                WHEN typeof(value) = 'VARCHAR' THEN regexp_replace(upper(trim(CAST(value AS VARCHAR))), '^[A-U]', '')
                ELSE regexp_replace(CAST(value AS VARCHAR), '\.0+$', '')
            END AS text
        FROM written
    ) AS texts
) AS codes
WHERE value IS NOT NULL
