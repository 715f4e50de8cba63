-- The lines of an exported taxonomy of intervals, taken apart and read in the column's type.
-- One row: a line that is not blank.
-- Reads: the frequency set, for the type of the source column and nothing else.
-- Binds: frequency (table), source_value (column), $lines (value), $sep (value), $first_line (value)
-- Result: temporary table interval_lines: place (0), line (number in the file, from 1), size (its fields), leaf and bound (their
--   texts), path (one label per level), value and lower (the same as values of the source column's type).
-- NULL: value where the line is an interval without a leaf, lower where it is open below; both where the text is no
--   value of that type.
CREATE OR REPLACE TEMP TABLE interval_lines AS
WITH model AS (
    SELECT any_value(source_value) AS typed
    FROM (SELECT source_value FROM frequency LIMIT 1) AS one
),
written AS (
    SELECT
        t.position + $first_line - 1 AS line,
        string_split(t.text, $sep) AS fields
    FROM unnest($lines) WITH ORDINALITY AS t(text, position)
    WHERE t.text <> ''
)
SELECT
    0 AS place,
    written.line,
    len(written.fields) AS size,
    written.fields[1] AS leaf,
    written.fields[len(written.fields)] AS bound,
    list_slice(written.fields, 2, len(written.fields) - 1) AS path,
    -- DuckDB 1.5 finds no alias inside TRY, and in a branch of CASE it makes values of nothing
    TRY(cast_to_type(nullif(written.fields[1], ''), model.typed)) AS value,
    TRY(cast_to_type(nullif(written.fields[len(written.fields)], ''), model.typed)) AS lower
FROM written
CROSS JOIN model
