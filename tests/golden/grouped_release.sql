CREATE OR REPLACE TABLE release_rows AS
SELECT
  l0.level_1 AS "age@value",
  CASE
    WHEN l1.code_1 IS NULL AND NOT s."it's ""odd""@value" IS NULL
    THEN 'any''one'
    ELSE s."it's ""odd""@value"
  END AS "it's ""odd""@value",
  '*' AS "zip@value",
  CAST(SUM(s."#records") AS BIGINT) AS "#records"
FROM release_set AS s
LEFT JOIN "release_lookup"."age" AS l0
  ON s."age@value" = l0.value
LEFT JOIN "release_lookup"."it's ""odd""" AS l1
  ON s."it's ""odd""@value" = l1.value
GROUP BY ALL
