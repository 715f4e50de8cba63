-- What each value of a column shows by a rule.
-- One row: a value.
-- Reads: the lookup of the column
-- Binds: level_label (column), lookup (table), shown (table), $level (value), $root (value), $unknown (value)
-- Result: temporary table shown: key, node_level, label. A value that the taxonomy does not know is at the root, and shows
--   unknown, its label where such values are allowed.
-- NULL: a value beside all nodes under the root.
CREATE OR REPLACE TEMPORARY TABLE shown AS
SELECT
    value AS key,
    CASE WHEN code_1 IS NULL THEN $root::INTEGER ELSE $level::INTEGER END AS node_level,
    CASE WHEN code_1 IS NULL THEN $unknown::VARCHAR ELSE level_label::VARCHAR END AS label
FROM lookup
UNION ALL
SELECT NULL, 0, NULL
