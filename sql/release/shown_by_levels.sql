-- The records of a set with the levels that they show by a rule, and numbers of equivalence classes, by labels.
-- One row: as in the set.
-- Reads: the set, the lookup of each column that the rule names
-- Binds: held (table), columns (list), others (list)
-- Result: as the set; by column "<column>@level", the root's of the columns that the rule does not name; "#equivalence".
-- NULL: has level 0 under the root; a value that its taxonomy does not know has the root's.
SELECT
    s.*,
    each(columns,
        CASE WHEN s."{name}@value" IS NULL THEN 0 WHEN l{n}.code_1 IS NULL THEN {root} ELSE {level} END AS "{name}@level";
    ),
    each(others, {root} AS "{name}@level";),
    dense_rank() OVER (ORDER BY each(columns, {shown};)) AS "#equivalence"
FROM held AS s
joins(columns, LEFT JOIN "release_lookup"."{name}" AS l{n} ON s."{name}@value" = l{n}.value;)
