-- The distinct rows of a grouped release, each split by the powers of two that its number of records is made of.
-- One row: a distinct row and a power of two, 2^16 as often as it takes.
-- Reads: the grouped release.
-- Binds: shown (columns), grouped (table)
-- Result: the values, and times, the power.
-- NULL: is a value as any other.
SELECT
    shown,
    unnest(
        list_concat(
            list_filter(range(16), lambda power: ("#records" >> power) & 1 = 1),
            list_transform(range("#records" >> 16), lambda rest: 16)
        )
    ) AS times
FROM grouped
