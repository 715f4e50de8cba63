SELECT
  n."age@leaf" AS "age",
  n."it's ""odd""@value" AS "it's ""odd""",
  CASE WHEN s."income" = 0 THEN 0 ELSE s."income" END AS "income"
FROM source AS s
JOIN assigned_records AS k
  ON s."it's ""odd""" = k.key
JOIN (
  SELECT
    *,
    DENSE_RANK() OVER (ORDER BY "age@leaf", "it's ""odd""@value") AS "#rank 0"
  FROM assigned_nodes
) AS n
  ON k.assigned = n."#assigned"
SEMI JOIN staying_set AS h
  ON k.assigned = h."#assigned" AND s."income" IS NOT DISTINCT FROM h."income@value"
ORDER BY
  n."#rank 0",
  3
