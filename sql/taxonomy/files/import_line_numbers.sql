-- Where the leaves of an imported taxonomy stand in their file, for the findings of later checks.
-- One row: a leaf.
-- Reads: hierarchy_lines or interval_lines, with the columns place, value and line
-- Binds: read_lines (table), lines (table), $place (value)
-- Result: the table taxonomy_lines."<column>": value, line (the first that has it; in a Parquet file, the row).
-- NULL: a line without a leaf is left out.
CREATE OR REPLACE TABLE lines AS
SELECT
    value,
    min(line) AS line
FROM read_lines
WHERE value IS NOT NULL AND place = $place
GROUP BY value
