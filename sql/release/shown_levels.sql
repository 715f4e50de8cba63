-- The levels and labels that a release shows of a column.
-- One row: a label at a level.
-- Reads: what the column shows, the frequency set of the records that stay
-- Binds: held_key (column), shown (table), staying (table)
-- Result: shown_level, shown_label.
-- NULL: is at level 0, or at the root as all are.
SELECT shown.node_level AS shown_level, shown.label AS shown_label
FROM shown
SEMI JOIN staying ON staying.held_key IS NOT DISTINCT FROM shown.key
GROUP BY ALL
ORDER BY shown_label, shown_level
