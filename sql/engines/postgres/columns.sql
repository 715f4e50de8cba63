-- The columns of a table of PostgreSQL that the user may read, as its catalog has them.
-- One row: a column, in their order.
-- Reads: pg_attribute, pg_type, pg_namespace
-- Binds: named (list)
-- Result: name, type and its modifier, of a domain what it stands for; base, how that is written in a cast.
-- NULL: of base, it is no domain.
WITH RECURSIVE bases AS (
    SELECT attnum, attname::text AS name, atttypid AS type, atttypmod AS modifier, FALSE AS domain
    FROM pg_attribute
    WHERE
        attrelid = to_regclass(each(named, {relation}))
        AND attnum > 0
        AND NOT attisdropped
        AND has_column_privilege(attrelid, attnum, 'SELECT')
    UNION ALL
    SELECT b.attnum, b.name, t.typbasetype, CASE t.typtypmod WHEN -1 THEN b.modifier ELSE t.typtypmod END, TRUE
    FROM bases AS b
    JOIN pg_type AS t ON t.oid = b.type
    WHERE t.typtype = 'd'
)
SELECT
    b.name,
    CASE WHEN n.nspname = 'pg_catalog' THEN t.typname::text ELSE 'other' END AS type,
    b.modifier,
    CASE WHEN b.domain THEN format_type(b.type, b.modifier) END AS base
FROM bases AS b
JOIN pg_type AS t ON t.oid = b.type
JOIN pg_namespace AS n ON n.oid = t.typnamespace
WHERE t.typtype <> 'd'
ORDER BY b.attnum
