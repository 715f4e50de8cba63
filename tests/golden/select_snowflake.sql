WITH "shown_age"("key", "lower", "label") AS (VALUES
(0, CAST(NULL AS BIGINT), 'under 30'),
(1, 30, '30 and over')
),
"shown_it_s__odd_"("key", "label") AS (VALUES
('x\'); DROP TABLE t; --', 'a'),
('y', 'b')
)
SELECT placed."age", placed."it's ""odd""", placed."zip", placed."income"
FROM (
  SELECT
  sorted."age", sorted."it's ""odd""", sorted."zip", sorted."income",
  CAST(row_number() OVER (ORDER BY sorted."age", sorted."it's ""odd""", sorted."zip", sorted."income") AS BIGINT) AS "row_place"
  FROM (
    SELECT
    l1."label" AS "age",
    CASE WHEN s."it's ""odd""" IS NULL THEN NULL WHEN l2."key" IS NOT NULL THEN l2."label" WHEN CAST('column it\'s "odd": a value that its taxonomy does not know' || coalesce(SUBSTRING(CAST(s."it's ""odd""" AS VARCHAR), 1, 0), '') AS INTEGER) IS NULL THEN NULL END AS "it's ""odd""",
    '*' AS "zip",
    CASE WHEN s."income" = 0 THEN 0 ELSE s."income" END AS "income"
    FROM shop.customers AS s
    LEFT JOIN (SELECT v."value", CAST(sum(sum(v."bounds")) OVER (ORDER BY v."value") AS BIGINT) AS "place" FROM (SELECT b."lower" AS "value",
        1 AS "bounds" FROM "shown_age" AS b UNION ALL SELECT s."age", 0 FROM shop.customers AS s) AS v WHERE v."value" IS NOT NULL GROUP BY v."value") AS l0 ON s."age" = l0."value"
    LEFT JOIN "shown_age" AS l1 ON l0."place" = l1."key"
    LEFT JOIN "shown_it_s__odd_" AS l2 ON s."it's ""odd""" = l2."key"
  ) AS sorted
) AS placed
ORDER BY
MOD(MOD((MOD((MOD((MOD(placed."row_place", 2147483647)) * 1103515245 + 12345, 2147483647))
        * (MOD((MOD(placed."row_place", 2147483647)) * 1103515245 + 12345, 2147483647)), 2147483647))
    * ((MOD((MOD(placed."row_place", 2147483647)) * 1103515245 + 12345, 2147483647)) + 987654321), 2147483647), 64),
placed."row_place"
