-- The distinct rows of a grouped release with their places in a release's order; a row of many records comes in stretches.
-- One row: a distinct row, once for each 2^20 of its records.
-- Reads: the grouped release.
-- Binds: shown (columns), grouped (table)
-- Result: the values; first_place, the position of the first of these records among all by their values, from 1; times, how many
-- records these are.
-- NULL: is a value as any other, the last in order.
SELECT
    shown,
    before + 1 + (stretch << 20) AS first_place,
    least("#records" - (stretch << 20), 1 << 20)::BIGINT AS times
FROM (
    SELECT
        shown,
        "#records",
        before,
        unnest(range(("#records" + (1 << 20) - 1) >> 20)) AS stretch
    FROM (
        SELECT
            shown,
            "#records",
            (sum("#records") OVER (ORDER BY shown) - "#records")::BIGINT AS before
        FROM grouped
    ) AS placed
) AS stretches
