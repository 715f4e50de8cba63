CREATE OR REPLACE TABLE release_set AS
SELECT
  k.assigned AS "#assigned",
  s."age@value",
  s."it's ""odd""@value",
  s."income@value",
  SUM(s."#records") AS "#records"
FROM keyed_set AS s
JOIN assigned_records AS k
  ON s."it's ""odd""@value" = k.key
GROUP BY ALL
