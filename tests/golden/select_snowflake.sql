WITH "shown_age"("lower", "upper", "label") AS (VALUES
(CAST(NULL AS BIGINT), 30, 'under 30'),
(30, NULL, '30 and over')
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
    l0."label" AS "age",
    CASE WHEN s."it's ""odd""" IS NULL THEN NULL WHEN l1."key" IS NOT NULL THEN l1."label" WHEN CAST('column it\'s "odd": a value that its taxonomy does not know' || coalesce(SUBSTRING(CAST(s."it's ""odd""" AS VARCHAR), 1, 0), '') AS INTEGER) IS NULL THEN NULL END AS "it's ""odd""",
    '*' AS "zip",
    CASE WHEN s."income" = 0 THEN 0 ELSE s."income" END AS "income"
    FROM shop.customers AS s
    LEFT JOIN "shown_age" AS l0 ON s."age" IS NOT NULL AND (l0."lower" IS NULL OR s."age" >= l0."lower") AND (l0."upper" IS NULL OR s."age" < l0."upper")
    LEFT JOIN "shown_it_s__odd_" AS l1 ON s."it's ""odd""" = l1."key"
  ) AS sorted
) AS placed
ORDER BY
MOD(MOD((MOD((MOD((MOD(placed."row_place", 2147483647)) * 1103515245 + 12345, 2147483647))
        * (MOD((MOD(placed."row_place", 2147483647)) * 1103515245 + 12345, 2147483647)), 2147483647))
    * ((MOD((MOD(placed."row_place", 2147483647)) * 1103515245 + 12345, 2147483647)) + 987654321), 2147483647), 64),
placed."row_place"
