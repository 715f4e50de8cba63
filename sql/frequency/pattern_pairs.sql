-- The distance patterns of all pairs of joined records, plainly: the codes of each level are compared, pair by pair.
-- One row: a distance pattern.
-- Reads: joined_records
-- Binds: attributes (list)
-- Result: "<column>@distance", "#class_differs", "#pairs": two rows stand for n1 * n2 pairs, one with itself for its own.
-- NULL: code 0, which differs from every other; a class of its own.
SELECT
    each(attributes,
        (sum_of(levels, (x."{name}@{level}" IS DISTINCT FROM y."{name}@{level}")::INTEGER))::UTINYINT AS "{name}@distance"
    ),
    x."#class" IS DISTINCT FROM y."#class" AS "#class_differs",
    sum(
        CASE
            WHEN x."#id" = y."#id" THEN x."#records" * (x."#records" - 1) // 2
            ELSE x."#records" * y."#records"
        END
    )::BIGINT AS "#pairs"
FROM joined_records AS x
JOIN joined_records AS y ON x."#id" <= y."#id"
GROUP BY ALL
HAVING "#pairs" > 0
