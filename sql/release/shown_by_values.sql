-- The records of a set with the levels that their values show, and numbers of equivalence classes, by what they show.
-- One row: as in the set.
-- Reads: the set, and what each column shows
-- Binds: held (table), columns (list), others (list)
-- Result: as the set; by column "<column>@level", the root's of the other columns; "#equivalence".
-- NULL: a value, and a label, of its own.
SELECT
    s.*,
    each(columns, w{n}.node_level AS "{name}@level";),
    each(others, {root} AS "{name}@level";),
    dense_rank() OVER (ORDER BY each(columns, {shown};)) AS "#equivalence"
FROM held AS s
joins(columns, JOIN "{name} shown" AS w{n} ON s."{name}@value" IS NOT DISTINCT FROM w{n}.key;)
