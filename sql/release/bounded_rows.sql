-- The rows of a release by labels, with the ends of their ranges as columns.
-- One row: a record.
-- Reads: the query of the rows by labels, the ends of the labels of each column
-- Binds: rows (field), columns (list), beside (list), labelled (list), ordered (list)
-- Result: the columns, and those beside; in the order of their values, unless ordered is empty.
-- NULL: a value, or an open end, of its own.
SELECT each(columns, {shown} AS "{name}"), each(beside, r."{name}";)
FROM (
    {rows}
) AS r
joins(labelled, LEFT JOIN "{name} bounds" AS b{n} ON r."{name}" IS NOT DISTINCT FROM b{n}.label;)
ORDER BY each(ordered, {key};)
