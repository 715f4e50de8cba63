DROP TABLE IF EXISTS "class_of";
CREATE TEMPORARY TABLE "class_of" AS
WITH "class_of"("mark_0", "value_0", "mark_1", "value_1", "shown_1") AS (VALUES
(0, 1, 0, 'o\'ne', 'a'),
(1, 1, 1, 'o\'ne', NULL)
)
SELECT * FROM "class_of";
SELECT placed."age", placed."it's ""odd""", placed."income"
FROM (
  SELECT
  sorted."age", sorted."it's ""odd""", sorted."income",
  CAST(row_number() OVER (ORDER BY sorted."age", sorted."it's ""odd""", sorted."income") AS BIGINT) AS "row_place"
  FROM (
    SELECT
    CASE WHEN l0."mark_0" IS NOT NULL THEN s."age" WHEN CAST('a combination of quasi-identifiers that the release was not made of' || coalesce(SUBSTRING(CAST(s."age" AS VARCHAR), 1, 0), '') AS INTEGER) IS NULL THEN NULL END AS "age",
    CASE WHEN l0."mark_0" IS NOT NULL THEN l0."shown_1" WHEN CAST('a combination of quasi-identifiers that the release was not made of' || coalesce(SUBSTRING(CAST(s."age" AS VARCHAR), 1, 0), '') AS INTEGER) IS NULL THEN NULL END AS "it's ""odd""",
    CASE WHEN s."income" = 0 THEN 0 ELSE s."income" END AS "income"
    FROM shop.customers AS s
    LEFT JOIN "class_of" AS l0 ON CASE WHEN s."age" IS NULL THEN 1 ELSE 0 END = l0."mark_0" AND CASE WHEN s."age" IS NULL THEN 1 ELSE s."age" END = l0."value_0" AND CASE WHEN s."it's ""odd""" IS NULL THEN 1 ELSE 0 END = l0."mark_1" AND CASE WHEN s."it's ""odd""" IS NULL THEN 'o\'ne' ELSE s."it's ""odd""" END = l0."value_1"
  ) AS sorted
) AS placed
ORDER BY
MOD(MOD((MOD((MOD((MOD(placed."row_place", 2147483647)) * 1103515245 + 12345, 2147483647))
        * (MOD((MOD(placed."row_place", 2147483647)) * 1103515245 + 12345, 2147483647)), 2147483647))
    * ((MOD((MOD(placed."row_place", 2147483647)) * 1103515245 + 12345, 2147483647)) + 987654321), 2147483647), 64),
placed."row_place"
