-- What each class shows in a column of free intervals.
-- One row: a class.
-- Reads: interval_ends, the intervals of the column
-- Binds: intervals (table), shown (table), $root (value), $root_label (value)
-- Result: the temporary table: key (the class), node_level, label, leaf (where it is one value).
-- NULL: is a value of its own; together with any other one it is at the root.
CREATE OR REPLACE TEMP TABLE shown AS
SELECT
    ends.assigned AS key,
    CASE
        WHEN ends.alike THEN 0
        WHEN ends.missing THEN $root::INTEGER
        ELSE intervals.node_level
    END AS node_level,
    CASE
        WHEN ends.alike THEN ends.least::VARCHAR
        WHEN ends.missing OR intervals.node_level = $root::INTEGER THEN $root_label::VARCHAR
        ELSE intervals.label
    END AS label,
    CASE WHEN ends.alike THEN ends.least END AS leaf
FROM (
    SELECT *, least_code = largest_code AS alike
    FROM interval_ends
) AS ends
LEFT JOIN intervals ON intervals.first_code = ends.first_code AND intervals.last_code = ends.last_code
