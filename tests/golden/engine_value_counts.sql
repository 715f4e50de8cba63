CREATE OR REPLACE TABLE value_counts AS
SELECT
  c0 AS "age@value",
  c1 AS "it's ""odd""@value",
  CAST(SUM(records) AS BIGINT) AS "#records"
FROM fetched
GROUP BY
  grouped,
  c0,
  c1
