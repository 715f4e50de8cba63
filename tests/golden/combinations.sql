SELECT
  COUNT(DISTINCT h0) FILTER(WHERE
    h0 % 8 = 0) * 8
FROM (
  SELECT
    HASH("age", "it's ""odd""") AS h0
  FROM source
) AS hashed
