SELECT
  n."age@leaf" AS "age",
  n."it's ""odd""@value" AS "it's ""odd""",
  CASE WHEN s."income" = 0 THEN 0 ELSE s."income" END AS "income"
FROM source AS s
JOIN assigned_combinations AS k
  ON s."age" IS NOT DISTINCT FROM k."age@value"
  AND s."it's ""odd""" IS NOT DISTINCT FROM k."it's ""odd""@value"
JOIN (
  SELECT
    *,
    DENSE_RANK() OVER (ORDER BY "age@leaf", "it's ""odd""@value") AS "#rank 0"
  FROM assigned_nodes
) AS n
  ON k.assigned = n."#assigned"
ORDER BY
  n."#rank 0",
  3
