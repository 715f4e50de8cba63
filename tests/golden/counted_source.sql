WITH source AS (
  SELECT
    *
  FROM READ_CSV('a.csv')
)
SELECT
  "age" AS "age@value",
  "it's ""odd""" AS "it's ""odd""@value",
  COUNT(*) AS "#records"
FROM source
GROUP BY
  "age",
  "it's ""odd"""
