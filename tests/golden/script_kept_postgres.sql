CREATE TEMPORARY TABLE "anonduck_lookup_0" (lower_bound BIGINT, upper_bound BIGINT, label TEXT);
INSERT INTO "anonduck_lookup_0" VALUES (NULL, CAST('30' AS BIGINT), 'under 30'), (CAST('30' AS BIGINT), NULL, '30 and over');
CREATE TEMPORARY TABLE "anonduck_lookup_1" (value TEXT, label TEXT);
INSERT INTO "anonduck_lookup_1" VALUES ('x''); DROP TABLE t; --', 'a'), ('y', NULL);
SELECT
  sized."age",
  sized."it's ""odd""",
  sized."zip",
  sized."income"
FROM (
  SELECT
    released."age",
    released."it's ""odd""",
    released."zip",
    released."income",
    COUNT(*) OVER (PARTITION BY released."age", released."it's ""odd""", released."zip") AS "class_size"
  FROM (
    SELECT
      l0.label AS "age",
      CASE
        WHEN s."it's ""odd""" IS NULL
        THEN NULL
        WHEN l1.label IS NULL
        THEN 'any''one'
        ELSE s."it's ""odd"""
      END AS "it's ""odd""",
      '*' AS "zip",
      CASE WHEN s."income" = 0 THEN 0 ELSE s."income" END AS "income"
    FROM shop.customers AS s
    LEFT JOIN "anonduck_lookup_0" AS l0
      ON NOT s."age" IS NULL
      AND (
        (
          l0.lower_bound IS NULL OR s."age" >= l0.lower_bound
        )
        AND (
          l0.upper_bound IS NULL OR s."age" < l0.upper_bound
        )
      )
    LEFT JOIN "anonduck_lookup_1" AS l1
      ON s."it's ""odd""" = l1.value
  ) AS released
) AS sized
WHERE
  sized."class_size" >= 5
ORDER BY
  1,
  2,
  3,
  4
