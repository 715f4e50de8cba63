CREATE TEMPORARY TABLE "anonduck_combinations" (value_0 BIGINT, value_1 TEXT, shown_0 BIGINT, shown_1 TEXT, known BOOLEAN);
INSERT INTO "anonduck_combinations" VALUES ('1', 'o''ne', 'a', 'a', TRUE), (NULL, NULL, NULL, NULL, TRUE);
SELECT
  CASE
    WHEN l0.known
    THEN l0.shown_0
    ELSE ERROR('a combination of quasi-identifiers that the release was not made of')
  END AS "age",
  CASE
    WHEN l0.known
    THEN l0.shown_1
    ELSE ERROR('a combination of quasi-identifiers that the release was not made of')
  END AS "it's ""odd""",
  CASE WHEN s."income" = 0 THEN 0 ELSE s."income" END AS "income"
FROM shop.customers AS s
LEFT JOIN "anonduck_combinations" AS l0
  ON s."age" IS NOT DISTINCT FROM l0.value_0
  AND s."it's ""odd""" IS NOT DISTINCT FROM l0.value_1
ORDER BY
  1,
  2,
  3
