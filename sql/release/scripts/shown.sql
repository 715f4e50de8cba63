-- What the columns of a release show of each record, in no order, as an engine reads it.
-- One row: a record of the source.
-- Reads: the relation, as s, and lists of values or of what is worked out of them, as l0, l1, ...
-- Binds: relation (field), columns (list), joined (list)
-- Result: the columns.
-- NULL: as each expression shows it.
SELECT
    each(columns, {shown} AS "{name}")
FROM {relation}
joins(joined, LEFT JOIN {relation} AS l{n} ON {on};)
