-- The rows of engines/count_by.sql, unless there are too many.
-- One row: a combination; none where the query has more rows than it may have.
-- Reads: the query, which ends at one row more
-- Binds: counted (list), few (list), columns (list), rounded (list)
-- Result: the columns of engines/count_by.sql.
-- NULL: is a value of its own.
SELECT
    each(columns, w.c{n};),
    each(rounded, w.rounded;),
    w.records
FROM (
    SELECT g.*, count(*) OVER () AS rows_in_all
    FROM each(counted, {query}) AS g
) AS w
WHERE all_of(few, w.rows_in_all <= {most})
