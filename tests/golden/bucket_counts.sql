SELECT
  CAST(HASH("age", "it's ""odd""") % 8 AS BIGINT) AS "#bucket",
  COUNT(*) AS records
FROM source
GROUP BY
  "#bucket"
ORDER BY
  "#bucket"
