-- The combinations of codes that a source has at a level of each of some columns, wherever the source is.
-- One row: a distinct combination.
-- Reads: source, the lookup of each column
-- Binds: source (table), columns (list), counted (list)
-- Result: c0 and so on for the counted columns by their places among all, and records; -1 stands for a value that came into
--   the source after its values were counted.
-- NULL: is code 0, as is a value that a taxonomy does not know.
SELECT
    each(counted, n.c{place}),
    count(*) AS records
FROM (
    SELECT
        each(counted,
            CASE
                WHEN l{place}."value" IS NULL AND s."{name}" IS NOT NULL THEN -1
                ELSE coalesce(l{place}."code_{level}", 0)
            END AS c{place}
        )
    FROM source AS s
    joins(columns, LEFT JOIN "anonduck_floor_{place}" AS l{place} ON s."{name}" = l{place}."value")
) AS n
GROUP BY each(counted, n.c{place})
