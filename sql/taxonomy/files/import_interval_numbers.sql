-- Where the leaves of an imported taxonomy of intervals stand in their file, for the findings of later checks.
-- One row: a leaf.
-- Reads: interval_lines
-- Binds: lines (table)
-- Result: the table taxonomy_lines."<column>": value, line.
-- NULL: a line without a leaf is left out.
CREATE OR REPLACE TABLE lines AS
SELECT
    value,
    line
FROM interval_lines
WHERE value IS NOT NULL
