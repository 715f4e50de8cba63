CREATE OR REPLACE TEMPORARY TABLE "released_cells" AS
SELECT
  COALESCE(l0.code_0, 0) AS "age@0",
  COALESCE(l1.code_0, 0) AS "it's ""odd""@0",
  COALESCE(s."age@level", 0) AS "age@level",
  COALESCE(s."it's ""odd""@level", 0) AS "it's ""odd""@level",
  c.code AS "#class",
  COALESCE(s."#equivalence", 0) AS "#equivalence",
  TRUE AS "#stays",
  CAST(SUM(s."#records") AS BIGINT) AS "#records"
FROM (
  SELECT
    s.*,
    n."age@level",
    n."it's ""odd""@level",
    n."#equivalence"
  FROM release_set AS s
  LEFT JOIN (
    SELECT
      *,
      DENSE_RANK() OVER (ORDER BY "age@value", "it's ""odd""@value") AS "#equivalence"
    FROM assigned_nodes
  ) AS n
    ON s."#assigned" = n."#assigned"
) AS s
LEFT JOIN "release_lookup"."age" AS l0
  ON s."age@value" = l0.value
LEFT JOIN "release_lookup"."it's ""odd""" AS l1
  ON s."it's ""odd""@value" = l1.value
JOIN released_class_values AS c
  ON s."income@value" IS NOT DISTINCT FROM c.value
GROUP BY ALL
