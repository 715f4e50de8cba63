CREATE OR REPLACE TABLE made AS
SELECT
  CAST("age" AS BIGINT) AS "age@value",
  "it's ""odd""" AS "it's ""odd""@value",
  "#place",
  1 AS "#records"
FROM new_records
