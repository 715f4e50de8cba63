SELECT
  CAST("age" AS TEXT) AS a_1,
  CAST("it's ""odd""" AS TEXT) AS a_2,
  CAST(TO_JSON("income") AS TEXT) AS a_3,
  COUNT(*) AS records
FROM release
GROUP BY ALL
ORDER BY
  1,
  2,
  3
