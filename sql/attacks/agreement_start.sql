-- The first estimates of record linkage: how often two records agree by chance, and a guess for two records of one
-- person.
-- One row: a compared column.
-- Reads: compared
-- Binds: $columns (value)
-- Result: place, the column's bit from 0; m, 0.9, or half-way from u to 1 where that is more; u, the share of all pairs
--   that agree, because nearly all pairs are of two different persons.
SELECT place, greatest(0.9, (1 + u) / 2)::DOUBLE AS m, u
FROM (
    SELECT
        places.place,
        greatest(least(sum(compared.records * ((compared.pattern >> places.place) & 1)) / sum(compared.records), 1 - 1e-6), 1e-6)::DOUBLE AS u
    FROM compared
    CROSS JOIN (SELECT unnest(range($columns::BIGINT)) AS place) AS places
    GROUP BY places.place
)
ORDER BY place
