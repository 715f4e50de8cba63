CREATE OR REPLACE TABLE release_rows AS
SELECT
  n."age@leaf" AS "age@value",
  n."it's ""odd""@value" AS "it's ""odd""@value",
  CASE WHEN s."income@value" = 0 THEN 0 ELSE s."income@value" END AS "income@value",
  CAST(SUM(s."#records") AS BIGINT) AS "#records"
FROM staying_set AS s
JOIN assigned_nodes AS n
  ON s."#assigned" = n."#assigned"
GROUP BY ALL
