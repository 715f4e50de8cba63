CREATE OR REPLACE TEMPORARY TABLE "combined_set" AS
SELECT
  s.*,
  COALESCE(l0.code_0, 0) AS "age@0",
  COALESCE(l1.code_0, 0) AS "it's ""odd""@0",
  DENSE_RANK() OVER (ORDER BY COALESCE(l0.code_0, 0), COALESCE(l1.code_0, 0)) - 1 AS "#combination"
FROM release_set AS s
LEFT JOIN "release_lookup"."age" AS l0
  ON s."age@value" = l0.value
LEFT JOIN "release_lookup"."it's ""odd""" AS l1
  ON s."it's ""odd""@value" = l1.value
