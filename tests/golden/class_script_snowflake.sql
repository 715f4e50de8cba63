CREATE TEMPORARY TABLE "anonduck_combinations" (value_0 BIGINT, value_1 VARCHAR, shown_0 BIGINT, shown_1 VARCHAR, known BOOLEAN);
INSERT INTO "anonduck_combinations" VALUES (CAST('1' AS BIGINT), 'o\'ne', CAST('a' AS BIGINT), 'a', TRUE), (NULL, NULL, NULL, NULL, TRUE);
SELECT
  l0.shown_0 AS "age",
  l0.shown_1 AS "it's ""odd""",
  CASE WHEN s."income" = 0 THEN 0 ELSE s."income" END AS "income"
FROM shop.customers AS s
INNER JOIN "anonduck_combinations" AS l0
  ON s."age" IS NOT DISTINCT FROM l0.value_0
  AND s."it's ""odd""" IS NOT DISTINCT FROM l0.value_1
ORDER BY
  1,
  2,
  3
