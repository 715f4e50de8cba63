SELECT
  n."age@leaf" AS "age",
  n."it's ""odd""@value" AS "it's ""odd""",
  CASE WHEN s."income" = 0 THEN 0 ELSE s."income" END AS "income"
FROM source AS s
JOIN assigned_records AS k
  ON s."it's ""odd""" = k.key
JOIN assigned_nodes AS n
  ON k.assigned = n."#assigned"
ORDER BY
  1,
  2,
  3
