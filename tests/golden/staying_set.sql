CREATE OR REPLACE TEMPORARY TABLE "staying_set" AS
SELECT
  s.*
FROM release_set AS s
JOIN assigned_nodes AS n
  ON s."#assigned" = n."#assigned"
SEMI JOIN release_rows AS g
  ON n."age@leaf" IS NOT DISTINCT FROM g."age@value"
  AND n."it's ""odd""@value" IS NOT DISTINCT FROM g."it's ""odd""@value"
