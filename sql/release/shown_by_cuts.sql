-- The records of a set with the levels that they show by cuts, and numbers of equivalence classes, by labels.
-- One row: as in the set.
-- Reads: the set, the cut of each column
-- Binds: held (table), names (list)
-- Result: as the set; by column "<column>@level"; "#equivalence".
-- NULL: a value, and a label, of its own.
SELECT
    s.*,
    each(names, c{n}.node_level AS "{name}@level";),
    dense_rank() OVER (ORDER BY each(names, c{n}.label;)) AS "#equivalence"
FROM held AS s
joins(names, JOIN "{name} cut" AS c{n} ON s."{name}@value" IS NOT DISTINCT FROM c{n}.value;)
