-- The distinct rows of a release with the ends of ranges as columns, and the records of each.
-- One row: a combination of what the columns show.
-- Reads: release_rows by labels, the ends of the labels of each column
-- Binds: columns (list), labelled (list)
-- Result: table release_rows: each column, a label where it is the first of equal ends, a value or an end; "#records".
-- NULL: a value, or an open end, of its own.
CREATE OR REPLACE TABLE release_rows AS
SELECT
    each(columns, {shown} AS "{name}";),
    sum(s."#records")::BIGINT AS "#records"
FROM release_rows AS s
joins(labelled, LEFT JOIN "{name} bounds" AS b{n} ON s."{name}@value" IS NOT DISTINCT FROM b{n}.label;)
GROUP BY ALL
