-- Effect: the taxonomy of one column keeps its leaves alone, numbered from 1; intervals without a leaf are in its
--   bounds.
-- Reads: the taxonomy of one column.
-- Binds: taxonomy (table), fields (columns), codes (columns)
-- NULL: a row without a value is no leaf.
CREATE OR REPLACE TABLE taxonomy AS
SELECT
    fields,
    CAST(row_number() OVER (ORDER BY code_0) AS INTEGER) AS code_0,
    codes
FROM taxonomy
WHERE value IS NOT NULL
