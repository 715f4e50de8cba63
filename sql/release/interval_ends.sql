-- Where the values of each class in a column of intervals begin and end.
-- One row: a class.
-- Reads: release_set, the lookup of the column
-- Binds: raw_value (column), lookup (table), floats (list)
-- Result: temporary table interval_ends: assigned, missing (whether it has NULL), least_code and largest_code (leaf codes),
--   first_code and last_code (those at level 1), least (the value). Minus zero is zero.
-- NULL: has leaf code 0.
CREATE OR REPLACE TEMPORARY TABLE interval_ends AS
SELECT
    s."#assigned" AS assigned,
    bool_or(s.raw_value IS NULL) AS missing,
    min(coalesce(l.code_0, 0)) AS least_code,
    max(coalesce(l.code_0, 0)) AS largest_code,
    min(l.code_1) AS first_code,
    max(l.code_1) AS last_code,
    min(each(floats, CASE WHEN s.raw_value = 0 THEN 0 ELSE s.raw_value END; s.raw_value)) AS least
FROM release_set AS s
LEFT JOIN lookup AS l ON s.raw_value = l.value
GROUP BY s."#assigned"
