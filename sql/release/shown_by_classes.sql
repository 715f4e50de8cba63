-- The records of a set with the levels that they show by their classes, and numbers of equivalence classes, by labels.
-- One row: as in the set.
-- Reads: the set, assigned_nodes
-- Binds: held (table), names (list)
-- Result: as the set; by column "<column>@level"; "#equivalence".
-- NULL: a label of its own; records that left have neither level nor number if their class has no node.
SELECT s.*, each(names, n."{name}@level";), n."#equivalence"
FROM held AS s
LEFT JOIN (
    SELECT *, dense_rank() OVER (ORDER BY each(names, "{name}@value";)) AS "#equivalence"
    FROM assigned_nodes
) AS n ON s."#assigned" = n."#assigned"
