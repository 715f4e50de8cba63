-- The values that a list-like shipped taxonomy gets a leaf for: those of the source, and those of the list.
-- One row: a value of the source column's type.
-- Reads: the frequency set
-- Binds: frequency (table), source_value (column), $texts (value)
-- Result: temporary table shipped_values: value. A listed text that is no value of the column's type is left out.
-- NULL: left out; NULL belongs to no taxonomy.
CREATE OR REPLACE TEMP TABLE shipped_values AS
WITH model AS (
    SELECT any_value(source_value) AS typed
    FROM (SELECT source_value FROM frequency LIMIT 1) AS one
),
candidates AS (
    SELECT source_value AS value
    FROM frequency
    UNION
    SELECT TRY(cast_to_type(t.text, model.typed)) AS value
    FROM unnest($texts::VARCHAR[]) AS t(text)
    CROSS JOIN model
)
SELECT value
FROM candidates
WHERE value IS NOT NULL
