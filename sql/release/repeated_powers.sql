-- The distinct rows of a grouped release, each split by the powers of two that its number of records is made of.
-- One row: a distinct row and a power of two, 2^16 as often as it takes.
-- Reads: the grouped release.
-- Binds: shown (columns), grouped (table)
-- Result: the values; times, the power; first_place, the position of its first record among all by their values, from 1.
-- NULL: is a value as any other, the last in order.
SELECT
    shown,
    piece.times,
    piece.first_place
FROM (
    SELECT
        shown,
        unnest(
            list_concat(
                list_transform(
                    list_filter(range(16), lambda power: ("#records" >> power) & 1 = 1),
                    lambda power: {'times': power, 'first_place': before + 1 + ("#records" & ((1 << power) - 1))}
                ),
                list_transform(
                    range("#records" >> 16),
                    lambda rest: {'times': 16, 'first_place': before + 1 + ("#records" & 65535) + (rest << 16)}
                )
            )
        ) AS piece
    FROM (
        SELECT
            shown,
            "#records",
            (sum("#records") OVER (ORDER BY shown) - "#records")::BIGINT AS before
        FROM grouped
    ) AS placed
) AS pieces
