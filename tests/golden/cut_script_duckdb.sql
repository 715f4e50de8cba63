CREATE TEMPORARY TABLE "anonduck_values_0" (value_0 BIGINT, shown_0 TEXT, known BOOLEAN);
INSERT INTO "anonduck_values_0" VALUES ('3', '[0, 5)', TRUE), (NULL, NULL, TRUE);
CREATE TEMPORARY TABLE "anonduck_values_1" (value_0 TEXT, shown_0 TEXT, known BOOLEAN);
INSERT INTO "anonduck_values_1" VALUES ('it''s', 'it''s', TRUE);
SELECT
  CASE
    WHEN l0.known
    THEN l0.shown_0
    ELSE ERROR('a value that the release was not made of')
  END AS "age",
  CASE
    WHEN l1.known
    THEN l1.shown_0
    ELSE ERROR('a value that the release was not made of')
  END AS "it's ""odd"""
FROM shop.customers AS s
LEFT JOIN "anonduck_values_0" AS l0
  ON s."age" IS NOT DISTINCT FROM l0.value_0
LEFT JOIN "anonduck_values_1" AS l1
  ON s."it's ""odd""" IS NOT DISTINCT FROM l1.value_0
ORDER BY
  1,
  2
