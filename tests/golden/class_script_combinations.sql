SELECT
  CAST(k."age@value" AS TEXT),
  CAST(k."it's ""odd""@value" AS TEXT),
  CAST(n."age@leaf" AS TEXT),
  CAST(n."it's ""odd""@value" AS TEXT)
FROM assigned_combinations AS k
JOIN assigned_nodes AS n
  ON k.assigned = n."#assigned"
ORDER BY
  k."age@value",
  k."it's ""odd""@value"
