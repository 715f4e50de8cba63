-- The keys of numbers in JSON files that a double does not keep, as they are written there, in quotation marks: with
-- more digits than the 17 that tell all doubles apart, or too large or small.
-- One row: a key with such a number.
-- Reads: the files
-- Binds: $files (value)
-- NULL: does not occur. Numbers in arrays have no key, and are left out.
WITH
    -- objects in which such a number may be
    objects AS (
        SELECT json FROM read_json_objects($files)
        WHERE regexp_matches(json, '[1-9][0-9.]{18}|[1-9][0-9]{17}|[0-9][eE][-+]?[0-9]{3}')
    ),
    -- all texts, each with the number that it is the key of
    tokens AS (
        SELECT
            unnest(
                regexp_extract_all(
                    json,
                    '"(?:[^"\\]|\\.)*"(?:\s*:\s*-?[0-9]+(?:[.][0-9]+)?(?:[eE][-+]?[0-9]+)?)?'
                )
            ) AS token
        FROM objects
    ),
    numbers AS (
        SELECT
            regexp_extract(token, '^"(?:[^"\\]|\\.)*"') AS key,
            regexp_extract(token, '[-0-9.eE+]+$') AS number
        FROM tokens
        WHERE right(token, 1) <> '"'
    ),
    -- the digits of each, without zeros around them, and those of the double that is read
    digits AS (
        SELECT
            key,
            trim(regexp_replace(regexp_replace(number, '[eE].*', ''), '[^0-9]', '', 'g'), '0') AS written,
            trim(
                regexp_replace(
                    regexp_replace(CAST(TRY_CAST(number AS DOUBLE) AS VARCHAR), '[eE].*', ''), '[^0-9]', '', 'g'
                ),
                '0'
            ) AS held
        FROM numbers
        WHERE regexp_matches(number, '[.eE]')
    )
SELECT DISTINCT key
FROM digits
WHERE written <> held AND (length(written) > 17 OR held = '')
ORDER BY key
