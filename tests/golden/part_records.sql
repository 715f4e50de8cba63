SELECT
  "v0" AS "age",
  "v1" AS "it's ""odd"""
FROM (
  SELECT
    "v0",
    "v1",
    UNNEST(RANGE("#records")) AS "#repeat"
  FROM compared_part
) AS expanded
