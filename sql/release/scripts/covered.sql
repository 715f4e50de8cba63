-- Combinations of values that no list has, and the lowest class whose nodes are over all of their values.
-- One row: a combination that some class covers.
-- Reads: the relation, as s, with the lists that labels need; the levels of the classes' vectors; the classes.
-- Binds: relation (field), names (list), columns (list), joined (list), unlisted (field), levels (field), classes (field),
--   alike (list)
-- Result: a mark and a value for each column; place, the number of the class.
-- NULL: has a mark of its own.
-- Each distinct combination is tried at the levels of each class, by equality: an engine can hash that, while a join by
-- OR tries each with each class.
SELECT
    each(names, f."{name}"),
    min(c."place") AS "place"
FROM (
    SELECT DISTINCT
        each(columns, {shown} AS "{name}")
    FROM {relation}
    joins(joined, LEFT JOIN {relation} AS l{n} ON {on};)
    WHERE {unlisted}
) AS f
CROSS JOIN {levels} AS v
JOIN {classes} AS c ON c."vector" = v."vector" AND all_of(alike, {one} = {other})
GROUP BY each(names, f."{name}")
