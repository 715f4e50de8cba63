-- The combinations of values: where each value stands in the order of its column, and its cell, the lowest node over it.
-- One row: a combination.
-- Reads: the combinations of values with their numbers, as s, and lookups of values, as l0, l1, ...
-- Binds: records_called (field), values (list), combined (field), joined (list)
-- Result: combination (a number), records, the numbers of the values, their places, their cells (0 of NULL, -1 of a value
--   that the taxonomy lacks).
-- NULL: has a place and a cell of its own.
SELECT row_number() OVER (ORDER BY each(values, s."{id}")) AS "combination", s."{records_called}", each(values, s."{id}"),
    each(values, {placed} AS "{place}"),
    each(values, {held} AS "{cell}")
FROM {combined} AS s
joins(joined, LEFT JOIN {relation} AS l{n} ON {on};)
