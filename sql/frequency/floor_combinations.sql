-- About how many combinations of codes a source has at some level vectors, wherever the source is.
-- One row: the source.
-- Reads: source, the lookup of each column
-- Binds: source (table), columns (list), vectors (list)
-- Result: found_0 and so on. A combination is known by the sum of its terms, each code times a number of its column and level,
--   modulo a prime; those sums are counted that one_in divides.
-- NULL: is code 0, as is a value that a taxonomy does not know.
SELECT each(vectors, count(DISTINCT CASE WHEN k.k{n} % {one_in} = 0 THEN k.k{n} END) AS found_{n})
FROM (
    SELECT
        each(vectors,
            sum_of(terms, (coalesce(l{place}."code_{level}", 0)::BIGINT * {factor}) % {prime}; 0) AS k{n}
        )
    FROM source AS s
    joins(columns, LEFT JOIN "anonduck_floor_{place}" AS l{place} ON s."{name}" = l{place}."value")
) AS k
