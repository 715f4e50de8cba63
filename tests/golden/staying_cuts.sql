CREATE OR REPLACE TEMPORARY TABLE "staying_set" AS
SELECT
  s.*
FROM release_set AS s
JOIN "age cut" AS c0
  ON s."age@value" IS NOT DISTINCT FROM c0.value
JOIN "it's ""odd"" cut" AS c1
  ON s."it's ""odd""@value" IS NOT DISTINCT FROM c1.value
SEMI JOIN release_rows AS g
  ON c0.leaf IS NOT DISTINCT FROM g."age@value"
  AND c1.label IS NOT DISTINCT FROM g."it's ""odd""@value"
