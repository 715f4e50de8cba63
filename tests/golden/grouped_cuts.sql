CREATE OR REPLACE TABLE release_rows AS
SELECT
  c0.leaf AS "age@value",
  c1.label AS "it's ""odd""@value",
  CASE WHEN s."income@value" = 0 THEN 0 ELSE s."income@value" END AS "income@value",
  CAST(SUM(s."#records") AS BIGINT) AS "#records"
FROM staying_set AS s
JOIN "age cut" AS c0
  ON s."age@value" IS NOT DISTINCT FROM c0.value
JOIN "it's ""odd"" cut" AS c1
  ON s."it's ""odd""@value" IS NOT DISTINCT FROM c1.value
GROUP BY ALL
