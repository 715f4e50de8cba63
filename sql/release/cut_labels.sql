-- The labels over the values themselves that a release by cuts shows in a column.
-- One row: a node over level 0.
-- Reads: the column's cut, the frequency set of the records that stay
-- Binds: raw_value (column), cut (table), staying (table)
-- Result: shown_level, shown_label.
-- NULL: is at level 0, or at the root as all are.
SELECT cut.node_level AS shown_level, cut.label AS shown_label
FROM cut
SEMI JOIN staying ON staying.raw_value IS NOT DISTINCT FROM cut.value
WHERE cut.node_level > 0
GROUP BY ALL
ORDER BY shown_label, shown_level
