SELECT
  n."age@leaf" AS "age",
  n."it's ""odd""@value" AS "it's ""odd""",
  CASE WHEN s."income" = 0 THEN 0 ELSE s."income" END AS "income"
FROM source AS s
JOIN assigned_combinations AS k
  ON s."age" IS NOT DISTINCT FROM k."age@value"
  AND s."it's ""odd""" IS NOT DISTINCT FROM k."it's ""odd""@value"
JOIN assigned_nodes AS n
  ON k.assigned = n."#assigned"
ORDER BY
  1,
  2,
  3
