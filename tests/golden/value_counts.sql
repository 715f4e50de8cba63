CREATE OR REPLACE TABLE value_counts AS
SELECT
  "age" AS "age@value",
  "it's ""odd""" AS "it's ""odd""@value",
  COUNT(*) AS "#records"
FROM source
GROUP BY
  GROUPING SETS (
    ("age"),
    ("it's ""odd""")
  )
