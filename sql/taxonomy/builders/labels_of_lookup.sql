-- The labels of all values of a lookup: its own, and for values without a path those that were computed.
-- One row: a value.
-- Reads: the column's lookup, unseen_paths
-- Binds: lookup (table), levels (list)
-- Result: temporary table lookup_labels: value, records, level_1 and so on.
-- NULL: the labels of a value that has no computed ones either.
CREATE OR REPLACE TEMPORARY TABLE lookup_labels AS
SELECT
    value,
    records,
    each(levels, level_{level})
FROM lookup
WHERE code_1 IS NOT NULL
UNION ALL
SELECT
    held.value,
    held.records,
    each(levels, unseen_paths.level_{level})
FROM lookup AS held
LEFT JOIN unseen_paths ON unseen_paths.value = held.value
WHERE held.code_1 IS NULL
