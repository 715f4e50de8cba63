-- A release by its lookup tables, which hold the values that it names in their place.
-- One row: a record of the source.
-- Reads: source; the lookup tables: of values, or of the lower bounds of intervals.
-- Binds: columns (list), joined (list)
-- Result: the columns.
-- NULL: stays NULL.
SELECT
    each(columns, {shown} AS "{name}")
FROM source AS s
joins(joined, each(nearest, ASOF;) LEFT JOIN "{lookup}" AS l{n} ON {on};)
