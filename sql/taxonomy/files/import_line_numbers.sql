-- Where the leaves of an imported taxonomy stand in their file, for the findings of later checks.
-- One row: a leaf.
-- Reads: hierarchy_lines
-- Binds: lines (table)
-- Result: the table taxonomy_lines."<column>": value, line (the first that has it; in a Parquet file, the row).
-- NULL: none occurs; lines of other leaves than the column's values are not here any more.
CREATE OR REPLACE TABLE lines AS
SELECT
    value,
    min(line) AS line
FROM hierarchy_lines
GROUP BY value
