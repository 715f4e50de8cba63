-- Adds the label of a column's root, which stands for all values that the source holds.
-- One row: that label, unless it is there.
-- Reads: the column's lookup
-- Binds: spread (table), lookup (table), $root_label (value)
-- Result: label, leaves in their order.
-- NULL: is under the root too, and is taken for a value: how many there are is not in the release.
INSERT INTO spread
SELECT $root_label AS label, list(value ORDER BY code_0) AS leaves
FROM lookup
WHERE $root_label NOT IN (SELECT label FROM spread)
HAVING count(*) > 0
