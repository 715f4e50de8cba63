-- The rows of a release with the counts that are asked of their classes, and of all.
-- One row: a row of the release.
-- Reads: the rows with the sizes of their classes, as sized.
-- Binds: query (field), names (list), size (field), attributes (list), values (list), ranks (field), share (list), small (field),
--   every (field), k (field)
-- Result: the columns; the size of the class; the distinct values in it; the rows in small classes, and all rows.
-- NULL: is a value as any other.
-- Distinct values are counted as the greatest dense rank in a class: no engine counts them in a window.
SELECT
    each(names, sized."{name}"),
    sized."{size}",
    each(values, max(sized."{ranks}_{n}") OVER (PARTITION BY each(attributes, {of_sized};)) AS "{ranks}_{n}";),
    each(share, count(CASE WHEN sized."{size}" < {k} THEN 1 END) OVER () AS "{small}", count(*) OVER () AS "{every}";)
FROM {query} AS sized
