-- The intervals of one column that a release shows, in their order.
-- One row: an interval.
-- Reads: the column's lookup, the grouped release
-- Binds: lookup (table), grouped (table), label (column), code (column), shown (column)
-- Result: shown_label.
-- NULL: is no interval.
SELECT any_value(lookup.label) AS shown_label
FROM lookup
SEMI JOIN grouped ON grouped.shown = lookup.label
GROUP BY lookup.code
ORDER BY lookup.code
