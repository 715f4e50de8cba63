-- What each record shows before values are swapped, with a number.
-- One row: as in the set.
-- Reads: the set, the lookup of each column that shows labels, the rare values of each column that has some
-- Binds: held (table), numbered (table), columns (list), beside (list), lookups (list), rare (list)
-- Result: temporary table numbered: each column, "#records", "#row", from 0, in the order of all values.
-- NULL: a value of its own.
CREATE OR REPLACE TEMPORARY TABLE numbered AS
SELECT *, row_number() OVER (ORDER BY each(columns, "{name}@value";), each(beside, "{name}";)) - 1 AS "#row"
FROM (
    SELECT
        each(columns, {shown} AS "{name}@value";),
        each(beside, s."{name}";),
        s."#records"
    FROM held AS s
    joins(lookups, LEFT JOIN "release_lookup"."{name}" AS l{place} ON s."{name}@value" = l{place}.value;)
    joins(rare,
        LEFT JOIN "{name} rare values" AS r{place} ON r{place}.rare_value IS NOT DISTINCT FROM s."{name}@value";
    )
) AS shown
