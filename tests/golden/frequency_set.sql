CREATE OR REPLACE TABLE frequency_set AS
SELECT
  "age" AS "age@value",
  "it's ""odd""" AS "it's ""odd""@value",
  "class" AS "class@value",
  COUNT(*) AS "#records"
FROM source
GROUP BY
  "age",
  "it's ""odd""",
  "class"
