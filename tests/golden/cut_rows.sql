SELECT
  c0.leaf AS "age",
  c1.label AS "it's ""odd""",
  CASE WHEN s."income" = 0 THEN 0 ELSE s."income" END AS "income"
FROM source AS s
JOIN "age cut" AS c0
  ON s."age" IS NOT DISTINCT FROM c0.value
JOIN "it's ""odd"" cut" AS c1
  ON s."it's ""odd""" IS NOT DISTINCT FROM c1.value
ORDER BY
  1,
  2,
  3
