SELECT
  s."age@scanned" AS key_0,
  s."it's ""odd""@value" AS key_1,
  s."income@value" AS key_2,
  ANY_VALUE(n."age@leaf") AS shown_0,
  ANY_VALUE(n."it's ""odd""@value") AS shown_1
FROM staying_set AS s
JOIN assigned_nodes AS n
  ON s."#assigned" = n."#assigned"
GROUP BY
  s."age@scanned",
  s."it's ""odd""@value",
  s."income@value"
