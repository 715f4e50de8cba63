-- The lines of hierarchy files of columns of one type, taken apart, their leaves read in that type.
-- One row: a line that is not blank.
-- Reads: the frequency set, for the type of a source column and nothing else.
-- Binds: frequency (table), source_value (column), $lines (value), $places (value), $offsets (value), $seps (value),
--   $family (value)
-- Result: place (the file's, from 0), line (number in the file, from 1), fields (leaf text, then one label per level;
--   empty fields at the end of a line are no fields), value (the leaf text as a value of the source column's type).
-- $places is the file of each line, $offsets what a line's position is less than its number in each file.
-- How a text is read: a number may have a decimal comma, a boolean may be yes or no, all other text is as it stands.
--   A cast that would round (2.5 to a whole number, a time of day to a date) makes no value.
-- NULL: value is NULL where the text is no value of that type.
CREATE OR REPLACE TEMP TABLE hierarchy_lines AS
WITH given AS (
    SELECT
        unnest($lines::VARCHAR[]) AS text,
        unnest($places::INTEGER[]) AS place,
        unnest(range(len($places))) AS position
),
written AS (
    SELECT
        place,
        position + list_extract($offsets::BIGINT[], place + 1) AS line,
        string_split(
            rtrim(text, list_extract($seps::VARCHAR[], place + 1)), list_extract($seps::VARCHAR[], place + 1)
        ) AS fields
    FROM given
    WHERE text <> ''
),
readable AS (
    SELECT
        place,
        line,
        fields,
        CASE
            WHEN $family IN ('whole', 'real') AND NOT contains(fields[1], '.') THEN replace(fields[1], ',', '.')
            WHEN $family = 'boolean' AND lower(trim(fields[1])) IN ('true', 't', 'yes', 'y', '1') THEN 'true'
            WHEN $family = 'boolean' AND lower(trim(fields[1])) IN ('false', 'f', 'no', 'n', '0') THEN 'false'
            ELSE fields[1]
        END AS text
    FROM written
),
model AS (
    SELECT any_value(source_value) AS typed
    FROM (SELECT source_value FROM frequency LIMIT 1) AS one
),
cast_once AS (
    SELECT
        readable.place,
        readable.line,
        readable.fields,
        readable.text,
        TRY(cast_to_type(readable.text, model.typed)) AS value
    FROM readable
    CROSS JOIN model
)
SELECT
    place,
    line,
    fields,
    CASE
        WHEN $family = 'whole'
            AND abs(TRY_CAST(CAST(value AS VARCHAR) AS DOUBLE) - TRY_CAST(text AS DOUBLE))
            > abs(TRY_CAST(text AS DOUBLE)) * 1e-15
            THEN NULL
        WHEN $family = 'date' AND TRY_CAST(text AS TIMESTAMP) <> TRY_CAST(CAST(value AS VARCHAR) AS TIMESTAMP) THEN NULL
        ELSE value
    END AS value
FROM cast_once
