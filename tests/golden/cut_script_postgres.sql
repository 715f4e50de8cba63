CREATE TEMPORARY TABLE "anonduck_values_0" (value_0 BIGINT, shown_0 TEXT, known BOOLEAN);
INSERT INTO "anonduck_values_0" VALUES (CAST('3' AS BIGINT), '[0, 5)', TRUE), (NULL, NULL, TRUE);
CREATE TEMPORARY TABLE "anonduck_values_1" (value_0 TEXT, shown_0 TEXT, known BOOLEAN);
INSERT INTO "anonduck_values_1" VALUES ('it''s', 'it''s', TRUE);
SELECT
  l0.shown_0 AS "age",
  l1.shown_0 AS "it's ""odd"""
FROM shop.customers AS s
INNER JOIN "anonduck_values_0" AS l0
  ON s."age" IS NOT DISTINCT FROM l0.value_0
INNER JOIN "anonduck_values_1" AS l1
  ON s."it's ""odd""" IS NOT DISTINCT FROM l1.value_0
ORDER BY
  1,
  2
