-- The text under which a value is looked up in a list of a shipped taxonomy, such as country names.
-- One row: a value.
-- Reads: a relation with one column, value
-- Binds: written (table)
-- Result: value, code and key: the value in lower case without accents, with one blank for any run of other
--   characters than letters and digits; a number without leading zeros or decimals of zero.
-- NULL: no such value is looked up.
SELECT
    value,
    key AS code,
    key
FROM (
    SELECT
        value,
        regexp_replace(
            trim(regexp_replace(lower(strip_accents(whole)), '[^a-z0-9]+', ' ', 'g')), '^0+([0-9]+)$', '\1'
        ) AS key
    FROM (
        SELECT
            value,
            CASE
                WHEN regexp_matches(typeof(value), '^(DOUBLE|FLOAT|DECIMAL)')
                    THEN regexp_replace(CAST(value AS VARCHAR), '\.0+$', '')
                ELSE CAST(value AS VARCHAR)
            END AS whole
        FROM written
    ) AS texts
) AS keys
WHERE value IS NOT NULL
