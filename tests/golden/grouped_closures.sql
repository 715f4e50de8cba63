CREATE OR REPLACE TABLE release_rows AS
SELECT
  CAST(s."age@value" AS BIGINT) AS "age@value",
  s."it's ""odd""@value" AS "it's ""odd""@value",
  d.as_map AS "income@value",
  CAST(SUM(s."#records") AS BIGINT) AS "#records"
FROM given_closures AS s
JOIN given_distributions AS d
  ON s.distribution = d.distribution
GROUP BY ALL
