SELECT
  *
FROM (
  SELECT
    *
  FROM visits
) AS records
QUALIFY
  ROW_NUMBER() OVER (
    PARTITION BY "it's ""odd"""
    ORDER BY HASH(7, "it's ""odd""", CAST("weight" AS TEXT), "age")
  ) <= 3
