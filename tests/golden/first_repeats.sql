SELECT
  COUNT(*),
  COUNT(DISTINCT h)
FROM (
  SELECT
    HASH("age", "it's ""odd""") AS h
  FROM source
  LIMIT 100
) AS first
