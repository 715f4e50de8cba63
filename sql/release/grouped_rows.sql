-- The distinct rows of a release, with the records of each.
-- One row: a combination of what the columns show.
-- Reads: the set held, and what the columns show by classes or by values
-- Binds: held (table), columns (list), classes (list), valued (list)
-- Result: table release_rows: each column, "#records".
-- NULL: a value of its own.
CREATE OR REPLACE TABLE release_rows AS
SELECT
    each(columns, {shown} AS "{name}@value";),
    sum(s."#records")::BIGINT AS "#records"
FROM held AS s
joins(classes, JOIN assigned_nodes AS n ON s."#assigned" = n."#assigned";)
joins(valued, JOIN "{name} shown" AS w{place} ON s."{name}@value" IS NOT DISTINCT FROM w{place}.key;)
GROUP BY ALL
