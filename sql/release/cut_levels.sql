-- At which levels a release by cuts shows a column.
-- One row: a level.
-- Reads: the column's cut, the frequency set of the records that stay
-- Binds: raw_value (column), cut (table), staying (table)
-- Result: shown_level, nodes (of the cut, that a record shows).
-- NULL: is a node of its own at level 0, or at the root as all are.
SELECT
    cut.node_level AS shown_level,
    count(DISTINCT cut.label) + max((cut.label IS NULL)::INTEGER) AS nodes
FROM staying
JOIN cut ON staying.raw_value IS NOT DISTINCT FROM cut.value
GROUP BY ALL
ORDER BY shown_level
