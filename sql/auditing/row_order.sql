-- Whether the rows of a release stand in the order that a release of anonduck has, and whether they are just sorted.
-- That order: sorted by all columns, each row goes to one of 64 buckets by a hash of its position, from 1; bucket by
-- bucket, sorted inside. Equal rows are exchangeable.
-- One row.
-- Reads: the temp view numbered_release.
-- Binds: ordered (columns)
-- Result: rows; out_of_place, the rows where another one should stand; descents, the rows that sort before the one above.
-- NULL: is the last in order.
WITH placed AS (
    SELECT
        "#at",
        dense_rank() OVER (ORDER BY ordered) AS kind,
        row_number() OVER (ORDER BY ordered) AS place
    FROM numbered_release
),

multiplied AS (
    SELECT
        "#at",
        kind,
        place,
        (place % 2147483647 * 1103515245 + 12345) % 2147483647 AS x
    FROM placed
),

expected AS (
    SELECT
        kind,
        row_number() OVER (ORDER BY x * x % 2147483647 * (x + 987654321) % 2147483647 % 64, place) AS "#at"
    FROM multiplied
),

above AS (
    SELECT
        "#at",
        kind,
        lag(kind) OVER (ORDER BY "#at") AS kind_above
    FROM placed
)

SELECT
    count(*) AS rows,
    count(*) FILTER (above.kind <> expected.kind) AS out_of_place,
    count(*) FILTER (above.kind < above.kind_above) AS descents
FROM above
INNER JOIN expected ON above."#at" = expected."#at"
