-- The distinct values of each of the columns that a release keeps, by one scan.
-- One row: a value of one column.
-- Reads: source
-- Binds: columns (list)
-- Result: temporary table packed_kept: the value, as it is shown, in the column's own name; "in 0" and so on are 0 for the
--   column that the row is of.
-- NULL: is a value, and stands in all other columns.
CREATE OR REPLACE TEMPORARY TABLE packed_kept AS
SELECT
    each(columns, k."{name}"),
    each(columns, grouping(k."{name}") AS "in {n}")
FROM (
    SELECT each(columns, {shown} AS "{name}")
    FROM source AS s
) AS k
GROUP BY GROUPING SETS (each(columns, (k."{name}")))
