CREATE OR REPLACE TABLE frequency_set AS
SELECT
  s."age" AS "age@value",
  l1.shown AS "it's ""odd""@value",
  CAST(NULL AS TEXT) AS "job@value",
  s."class" AS "class@value",
  COUNT(*) AS "#records"
FROM source AS s
LEFT JOIN floor_1 AS l1
  ON s."it's ""odd""" = l1.value
GROUP BY
  s."age",
  l1.shown,
  s."class"
