CREATE OR REPLACE TABLE frequency_set AS
SELECT
  c0 AS "age@value",
  c1 AS "it's ""odd""@value",
  CAST(SUM(c2) AS BIGINT) AS "#records"
FROM fetched
GROUP BY
  c0,
  c1
