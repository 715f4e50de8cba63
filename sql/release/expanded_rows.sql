-- The rows of a grouped release, each as often as it has records, in the order of a release's rows.
-- One row: a record.
-- Reads: release_rows
-- Binds: names (list)
-- Result: the columns. Each distinct row stands in every bucket that some of its records are dealt to: the positions of
--   these follow one another, so that they are counted by bucket, and no record is sorted (engines/dealt_rows.sql).
-- NULL: a value of its own.
SELECT each(names, "{name}@value" AS "{name}")
FROM (
    SELECT each(names, "{name}@value"), unnest(range("#records")) AS "#repeat"
    FROM (
        WITH placed AS MATERIALIZED (
            SELECT
                each(names, "{name}@value"),
                "#records",
                (sum("#records") OVER (ORDER BY each(names, "{name}@value")))::BIGINT AS "#last"
            FROM release_rows
        )
        SELECT each(names, placed."{name}@value"), counted."#records"
        FROM placed
        JOIN (
            SELECT
                "#last",
                (
                    (("#place" % 2147483647 * 1103515245 + 12345) % 2147483647)
                    * (("#place" % 2147483647 * 1103515245 + 12345) % 2147483647) % 2147483647
                    * (("#place" % 2147483647 * 1103515245 + 12345) % 2147483647 + 987654321)
                ) % 2147483647 % 64 AS "#bucket",
                count(*) AS "#records"
            FROM (
                SELECT "#last", unnest(range("#last" - "#records" + 1, "#last" + 1)) AS "#place"
                FROM placed
            ) AS places
            GROUP BY "#last", "#bucket"
        ) AS counted USING ("#last")
        ORDER BY "#bucket", "#last"
    ) AS ordered
) AS expanded
