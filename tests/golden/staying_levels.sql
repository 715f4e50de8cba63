CREATE OR REPLACE TEMPORARY TABLE "staying_set" AS
SELECT
  s.*
FROM release_set AS s
LEFT JOIN "release_lookup"."age" AS l0
  ON s."age@value" = l0.value
LEFT JOIN "release_lookup"."it's ""odd""" AS l1
  ON s."it's ""odd""@value" = l1.value
SEMI JOIN release_rows AS g
  ON l0.level_1 IS NOT DISTINCT FROM g."age@value"
  AND CASE
    WHEN l1.code_1 IS NULL AND NOT s."it's ""odd""@value" IS NULL
    THEN 'any''one'
    ELSE s."it's ""odd""@value"
  END IS NOT DISTINCT FROM g."it's ""odd""@value"
  AND '*' IS NOT DISTINCT FROM g."zip@value"
