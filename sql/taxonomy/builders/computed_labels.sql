-- The labels that were computed of values, up to the root.
-- One row: a value.
-- Reads: computed (value, label_1 and so on)
-- Binds: computed (table), levels (list), root (column)
-- Result: value, level_1 and so on; root, the last of them, is *.
-- NULL: has NULL at every level.
SELECT
    value,
    each(levels, label_{level} AS level_{level};),
    CASE WHEN value IS NOT NULL THEN '*' END AS root
FROM computed
